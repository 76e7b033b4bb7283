#include "leadline/kubernetes/reflector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"
#include "common/kubernetes/temporary_directory.h"
#include "common/kubernetes/watch_fixture.h"
#include "leadline/kubernetes/informer.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Each list and each watch is answered by the next step of a script; watches beyond it hang.
class ReflectorTest : public ::testing::Test {
 protected:
  using Step = std::function<bool(RawServer::Peer&, const FakeRequest&)>;

  ReflectorTest() {
    options_.first_backoff = std::chrono::milliseconds(1);
    options_.max_backoff = std::chrono::milliseconds(20);
  }

  static Step Body(const std::string& body, const std::string& status = "200 OK") {
    return [=](RawServer::Peer& peer, const FakeRequest&) { return peer.Answer(body, status); };
  }
  static Step Stream(const std::string& text) {
    return [=](RawServer::Peer& peer, const FakeRequest&) {
      return BeginStream(peer) && peer.Chunk(text) && EndStream(peer);
    };
  }
  // Sends `text` and then nothing more.
  static Step Hang(const std::string& text = "") {
    return [=](RawServer::Peer& peer, const FakeRequest&) {
      BeginStream(peer);
      if (!text.empty()) peer.Chunk(text);
      peer.WaitForClose();
      return false;
    };
  }

  void Run(ClientConfig config = {}) {
    config.server = server_.Config().server;
    client_.emplace(loop_.io(), std::move(config));
    InformerHandlers<Thing> handlers;
    handlers.on_add = [this](const auto& thing) { Say("add " + Describe(*thing)); };
    handlers.on_update = [this](const auto& old, const auto& now) {
      Say("update " + Describe(*old) + " " + now->metadata.resource_version);
    };
    handlers.on_delete = [this](const auto& thing) { Say("delete " + Describe(*thing)); };
    handlers.on_synced = [this] { Say("synced"); };
    informer_.emplace(loop_.io(), *client_, ListerWatcher("/things", "a=b", "c=d"), ParseThing,
                      std::move(handlers), options_);
    informer_->Start();
  }
  static std::string Describe(const Thing& thing) {
    return thing.metadata.name + "/" + thing.metadata.uid + "@" + thing.metadata.resource_version;
  }
  void Say(const std::string& word) {
    const std::lock_guard lock(mutex_);
    said_.push_back(word);
    changed_.notify_all();
  }
  // What the handlers were told, once there are `count` of it.
  std::vector<std::string> Said(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return said_.size() >= count; });
    return said_;
  }
  template <typename Condition>
  void Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(condition());
  }
  std::vector<FakeRequest> Asked(bool watch) {
    const std::lock_guard lock(mutex_);
    return watch ? watch_requests_ : list_requests_;
  }

  ReflectorOptions options_;
  std::vector<Step> lists_;
  std::vector<Step> watches_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> said_;
  std::vector<FakeRequest> list_requests_;
  std::vector<FakeRequest> watch_requests_;
  FakeApi server_{[this](RawServer::Peer& peer, const FakeRequest& request) {
    Step step = Hang();
    {
      const std::lock_guard lock(mutex_);
      auto& asked = request.Watch() ? watch_requests_ : list_requests_;
      const auto& steps = request.Watch() ? watches_ : lists_;
      if (asked.size() < steps.size()) step = steps[asked.size()];
      asked.push_back(request);
    }
    return step(peer, request);
  }};
  IoThread loop_;
  std::optional<ApiClient> client_;
  std::optional<Informer<Thing>> informer_;
};

TEST_F(ReflectorTest, ListsInPagesThenWatchesFromThere) {
  lists_ = {Body(ListJson({ThingJson("a", "1", 5)}, 9, "more")),
            Body(ListJson({ThingJson("b", "2", 6)}, 9))};
  watches_ = {Stream(EventLine("MODIFIED", ThingJson("a", "1", 10)) + BookmarkLine(15)),
              Hang(EventLine("DELETED", ThingJson("b", "2", 16)))};
  Run();
  EXPECT_EQ(Said(5)[4], "delete b/2@6");
  EXPECT_EQ(Said(5)[3], "update a/1@5 10");
  EXPECT_EQ(Said(5)[2], "synced");
  EXPECT_TRUE(informer_->HasSynced());
  EXPECT_EQ(informer_->store().size(), 1u);
  EXPECT_EQ(informer_->store().Get("n/a")->metadata.resource_version, "10");
  const auto lists = Asked(false);
  EXPECT_EQ(lists[0].Query("limit"), "500");
  EXPECT_EQ(lists[0].Query("labelSelector"), "a=b");
  EXPECT_EQ(lists[0].Query("fieldSelector"), "c=d");
  EXPECT_EQ(lists[1].Query("continue"), "more");
  const auto watches = Asked(true);
  EXPECT_EQ(watches[0].Query("resourceVersion"), "9");
  EXPECT_EQ(watches[0].Query("allowWatchBookmarks"), "true");
  EXPECT_EQ(watches[1].Query("resourceVersion"), "15");
  const int timeout = std::stoi(watches[0].Query("timeoutSeconds"));
  EXPECT_GE(timeout, 300);
  EXPECT_LE(timeout, 600);
}

TEST_F(ReflectorTest, AnExpiredPageTokenLeadsToOneWholeList) {
  lists_ = {Body(ListJson({ThingJson("gone", "1", 5)}, 9, "more")),
            Body(StatusJson(410, "Expired", "continue token expired"), "410 Gone"),
            Body(ListJson({ThingJson("b", "2", 6)}, 11))};
  Run();
  EXPECT_THAT(Said(2), ElementsAre("add b/2@6", "synced"));
  EXPECT_EQ(Asked(false)[2].Query("limit"), "");
  EXPECT_EQ(Asked(false)[2].Query("continue"), "");
}

// Deletes, and a delete with a new one of the same name, that nobody told us of.
TEST_F(ReflectorTest, A410OfEitherKindListsAgainAndComparesByUid) {
  const auto first = Body(ListJson({ThingJson("a", "1", 1), ThingJson("b", "2", 2),
                                    ThingJson("c", "3", 3), ThingJson("d", "4", 4)},
                                   9));
  const auto second = Body(ListJson({ThingJson("b", "2", 2), ThingJson("c", "9", 12),
                                     ThingJson("d", "4", 13), ThingJson("e", "5", 14)},
                                    20));
  const auto check = [&] {
    const auto said = Said(11);
    ASSERT_GE(said.size(), 11u);
    const std::vector<std::string> changes(said.begin() + 5, said.end());
    EXPECT_EQ(changes[0], "delete a/1@1");
    EXPECT_THAT(changes,
                ::testing::UnorderedElementsAre("delete a/1@1", "delete c/3@3", "add c/9@12",
                                                "update d/4@4 13", "add e/5@14", "synced"));
    const auto at = [&](const char* word) {
      return std::find(changes.begin(), changes.end(), word) - changes.begin();
    };
    EXPECT_LT(at("delete c/3@3"), at("add c/9@12"));
  };
  const std::string expired = StatusJson(410, "Expired", "too old resource version");
  for (const Step& watch : {Body(expired, "410 Gone"), Stream(EventLine("ERROR", expired))}) {
    {
      const std::lock_guard lock(mutex_);
      lists_ = {first, second};
      watches_ = {watch};
      said_.clear();
      list_requests_.clear();
      watch_requests_.clear();
    }
    Run();
    check();
    EXPECT_EQ(informer_->counters().expired, 1u);
    // Its next watch must have been asked, or it would take a step of the next round.
    Await([this] { return Asked(true).size() == 2; });
    informer_.reset();
  }
}

TEST_F(ReflectorTest, AnUnreadableObjectStopsNothingAndKeepsWhatWasKnown) {
  lists_ = {Body(ListJson({ThingJson("a", "1", 1), ThingJson("x", "2", 2, "unreadable")}, 9)),
            Body(ListJson({ThingJson("a", "1", 10, "unreadable"), ThingJson("b", "3", 11)}, 20))};
  watches_ = {Stream(EventLine("ADDED", ThingJson("y", "4", 10, "unreadable")) +
                     EventLine("ADDED", ThingJson("c", "5", 11)) +
                     EventLine("ERROR", StatusJson(410, "Gone", "x")))};
  Run();
  EXPECT_THAT(Said(6), ElementsAre("add a/1@1", "synced", "add c/5@11", "delete c/5@11",
                                   "add b/3@11", "synced"));
  EXPECT_EQ(informer_->unreadable(), 3u);
  EXPECT_EQ(informer_->store().Get("n/a")->metadata.resource_version, "1");
}

TEST_F(ReflectorTest, ADeleteOfAnEarlierIncarnationIsIgnored) {
  lists_ = {Body(ListJson({ThingJson("a", "2", 5)}, 9))};
  watches_ = {Hang(EventLine("DELETED", ThingJson("a", "1", 10)) +
                   EventLine("ADDED", ThingJson("b", "3", 11)))};
  Run();
  EXPECT_THAT(Said(3), ElementsAre("add a/2@5", "synced", "add b/3@11"));
}

TEST_F(ReflectorTest, FailedListsAreRepeatedUntilOneIsGood) {
  lists_ = {Body(StatusJson(500, "InternalError", "etcd"), "500 Oops"),
            Body("<html>log in</html>"),
            Body("", "302 Found"),
            [](RawServer::Peer& peer, const FakeRequest&) {
              peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"items\":[");
              return false;
            },
            Body(ListJson({ThingJson("half", "1", 5)}, 9, "more")),
            Body("", "503 Busy"),
            Body(ListJson({ThingJson("a", "2", 5)}, 10))};
  Run();
  EXPECT_THAT(Said(2), ElementsAre("add a/2@5", "synced"));
  EXPECT_EQ(informer_->counters().failures, 5u);
}

TEST_F(ReflectorTest, ABrokenStreamListsAgain) {
  lists_ = {Body(ListJson({}, 9)), Body(ListJson({}, 10)), Body(ListJson({}, 11)),
            Body(ListJson({}, 12))};
  options_.max_object_bytes = 1000;
  watches_ = {Stream("{\"type\":\"ADDED\",\n"), Stream("<html>\n"), Stream(std::string(1001, ' '))};
  Run();
  EXPECT_THAT(Said(4), ElementsAre("synced", "synced", "synced", "synced"));
}

TEST_F(ReflectorTest, AnIncompleteTailIsDroppedAndTheWatchResumed) {
  const std::string event = EventLine("ADDED", ThingJson("a", "1", 10));
  lists_ = {Body(ListJson({}, 9))};
  watches_ = {Stream(event + EventLine("ADDED", ThingJson("b", "2", 11)).substr(0, 100)),
              [](RawServer::Peer& peer, const FakeRequest&) {
                BeginStream(peer);
                peer.ResetOnClose();
                return false;
              },
              Hang(EventLine("ADDED", ThingJson("b", "2", 11)))};
  Run();
  EXPECT_THAT(Said(3), ElementsAre("synced", "add a/1@10", "add b/2@11"));
  EXPECT_EQ(Asked(true)[1].Query("resourceVersion"), "10");
  EXPECT_EQ(Asked(true)[2].Query("resourceVersion"), "10");
}

TEST_F(ReflectorTest, ASilentWatchIsTakenForDead) {
  options_.bookmark_limit = std::chrono::milliseconds(1000);
  lists_ = {Body(ListJson({}, 9))};
  watches_ = {Stream(BookmarkLine(10)), Hang(BookmarkLine(11)),
              Hang(EventLine("ADDED", ThingJson("a", "1", 12)))};
  Run();
  EXPECT_THAT(Said(2), ElementsAre("synced", "add a/1@12"));
  EXPECT_EQ(Asked(true)[2].Query("resourceVersion"), "11");
}

TEST_F(ReflectorTest, ARefusedWatchUsesTheNewToken) {
  const TemporaryDirectory directory;
  ClientConfig config;
  config.token_file = directory.Write("token", "old");
  lists_ = {Body(ListJson({}, 9))};
  watches_ = {Stream(BookmarkLine(10)),
              [&](RawServer::Peer& peer, const FakeRequest&) {
                directory.Write("token", "new");
                return peer.Answer(StatusJson(401, "Unauthorized", "x"), "401 Unauthorized");
              },
              Hang(EventLine("ADDED", ThingJson("a", "1", 12)))};
  Run(config);
  EXPECT_THAT(Said(2), ElementsAre("synced", "add a/1@12"));
  EXPECT_EQ(Asked(true)[1].Token(), "old");
  EXPECT_EQ(Asked(true)[2].Token(), "new");
  EXPECT_EQ(informer_->counters().failures, 0u);
}

TEST_F(ReflectorTest, TakesALargeObject) {
  const std::string large(2'000'000, 'v');
  lists_ = {Body(ListJson({}, 9))};
  watches_ = {Hang(EventLine("ADDED", ThingJson("a", "1", 12, large)))};
  Run();
  Said(2);
  EXPECT_EQ(informer_->store().Get("n/a")->json, ThingJson("a", "1", 12, large));
}

// The stream of 50 events, each byte a chunk of its own.
TEST_F(ReflectorTest, ReadsAStreamByteByByte) {
  const Story story;
  lists_ = {Body(ListJson({}, 0))};
  watches_ = {[&](RawServer::Peer& peer, const FakeRequest&) {
    BeginStream(peer);
    std::string chunks;
    for (const char c : story.stream) chunks += std::string("1\r\n") + c + "\r\n";
    peer.Write(chunks);
    peer.WaitForClose();
    return false;
  }};
  Run();
  Await([&] { return informer_->counters().events == 50u; });
  std::map<std::string, std::string> left;
  for (const auto& thing : informer_->store().List()) left[thing->metadata.Key()] = thing->json;
  EXPECT_EQ(left, story.left);
}

// The same stream cut in two at every place: the same events each time.
TEST(WatchCutTest, EveryCutGivesTheSameEvents) {
  const Story story;
  const auto read = [&](std::size_t cut) {
    LineSplitter splitter(1 << 20);
    std::map<std::string, std::string> left;
    const auto take = [&](std::string_view line) -> Result<void> {
      const auto event = ParseWatchEvent(line);
      if (!event) return event.error();
      if (event->type == WatchEventType::kDeleted) {
        left.erase(event->identity.Key());
      } else {
        left[event->identity.Key()] = event->object;
      }
      return {};
    };
    const std::string_view stream = story.stream;
    EXPECT_TRUE(splitter.Feed(stream.substr(0, cut), take)) << cut;
    EXPECT_TRUE(splitter.Feed(stream.substr(cut), take)) << cut;
    return left;
  };
  for (std::size_t cut = 0; cut <= story.stream.size(); ++cut) {
    ASSERT_EQ(read(cut), story.left) << cut;
  }
}

// A kind that the server does not have is an empty one, until it has it.
TEST_F(ReflectorTest, AKindThatMayBeAbsentIsEmptyAndAskedForAgain) {
  options_.may_be_absent = true;
  options_.absent_retry = std::chrono::milliseconds(20);
  const Step absent = Body("404 page not found\n", "404 Not Found");
  lists_ = {absent, Body(StatusJson(404, "NotFound", "no such resource"), "404 Not Found"), absent,
            Body(ListJson({ThingJson("a", "1", 5)}, 9))};
  watches_ = {Hang(EventLine("ADDED", ThingJson("b", "2", 10)))};
  Run();
  EXPECT_THAT(Said(1), ElementsAre("synced"));
  Await([this] { return informer_->HasSynced(); });
  EXPECT_THAT(Said(4), ElementsAre("synced", "add a/1@5", "synced", "add b/2@10"));
  EXPECT_EQ(Asked(true)[0].Query("resourceVersion"), "9");
  EXPECT_EQ(informer_->counters().lists, 1u);
  EXPECT_EQ(informer_->counters().failures, 0u);
}

TEST_F(ReflectorTest, AnAbsentKindIsNotAskedForBeforeItsTime) {
  options_.may_be_absent = true;
  lists_ = {Body("", "404 Not Found"), Body(ListJson({}, 9))};
  Run();
  Said(1);
  // Many times the longest back-off; it would be five minutes.
  std::this_thread::sleep_for(10 * options_.max_backoff);
  EXPECT_EQ(Asked(false).size(), 1u);
}

// What is known of a kind that was there is kept.
TEST_F(ReflectorTest, AKindThatHasBeenThereIsNotTakenForAbsent) {
  options_.may_be_absent = true;
  lists_ = {Body(ListJson({ThingJson("a", "1", 5)}, 9)), Body("", "404 Not Found"),
            Body(ListJson({ThingJson("a", "1", 5)}, 9))};
  watches_ = {Stream(EventLine("ERROR", StatusJson(410, "Expired", "too old")))};
  Run();
  EXPECT_THAT(Said(3), ElementsAre("add a/1@5", "synced", "synced"));
  EXPECT_EQ(informer_->counters().failures, 1u);
}

// Only a 404, and only where it was allowed for.
TEST_F(ReflectorTest, OtherRefusalsAndOtherKindsAreFailures) {
  lists_ = {Body("", "404 Not Found"), Body(ListJson({}, 9))};
  Run();
  Said(1);
  EXPECT_EQ(informer_->counters().failures, 1u);
  EXPECT_EQ(informer_->counters().lists, 1u);
  informer_.reset();
  {
    const std::lock_guard lock(mutex_);
    lists_ = {Body(StatusJson(403, "Forbidden", "x"), "403 Forbidden"), Body("", "503 Busy"),
              Body(ListJson({}, 9))};
    said_.clear();
    list_requests_.clear();
  }
  options_.may_be_absent = true;
  Run();
  Said(1);
  EXPECT_EQ(informer_->counters().failures, 2u);
}

class StoppingSink : public ReflectorSink {
 public:
  void OnReplaceBegin() override {}
  void OnReplaceItem(std::string_view) override {
    ++items;
    reflector->Stop();
    stopped.set_value();
  }
  void OnReplaceEnd(std::string_view) override { ++ends; }
  void OnEvent(WatchEventType, const ObjectIdentity&, std::string_view) override {}

  Reflector* reflector = nullptr;
  std::promise<void> stopped;
  int items = 0;
  int ends = 0;
};

TEST_F(ReflectorTest, TheSinkMayStopIt) {
  lists_ = {Body(ListJson({ThingJson("a", "1", 1), ThingJson("b", "2", 2)}, 9))};
  client_.emplace(loop_.io(), server_.Config());
  StoppingSink sink;
  Reflector reflector(loop_.io(), *client_, ListerWatcher("/things"), sink, options_);
  sink.reflector = &reflector;
  reflector.Start();
  sink.stopped.get_future().get();
  loop_.Stop();
  EXPECT_EQ(sink.items, 1);
  EXPECT_EQ(sink.ends, 0);
  EXPECT_FALSE(reflector.HasSynced());
}

}  // namespace
}  // namespace leadline

#include "leadline/kubernetes/event_recorder.h"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <mutex>
#include <optional>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class EventRecorderTest : public ::testing::Test {
 protected:
  EventRecorderTest() {
    options_.reporting_controller = "dqn-scheduler";
    options_.reporting_instance = "dqn-scheduler-host";
    options_.flush_interval = std::chrono::milliseconds(5);
    options_.clock = &clock_;
  }
  void Start() { recorder_.emplace(loop_.io(), client_, options_); }
  static Event About(const std::string& name, const std::string& note = "no room") {
    Event event;
    event.regarding = {"v1", "Pod", "team", name, "uid-" + name, "7"};
    event.warning = true;
    event.reason = "FailedScheduling";
    event.action = "Scheduling";
    event.note = note;
    return event;
  }
  std::vector<FakeRequest> Requests(std::size_t count) {
    Await([&] {
      const std::lock_guard lock(mutex_);
      return requests_.size() >= count;
    });
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  template <typename Condition>
  void Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(condition());
  }
  static boost::json::object Json(const FakeRequest& request) {
    return boost::json::parse(request.body).as_object();
  }

  ManualClock clock_;
  std::mutex mutex_;
  std::vector<FakeRequest> requests_;
  std::string status_ = "201 Created";  // by mutex_
  std::atomic<bool> hang_ = false;
  FakeApi server_{[this](RawServer::Peer& peer, const FakeRequest& request) {
    std::string status;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      status = status_;
    }
    if (hang_) {
      peer.WaitForClose();
      return false;
    }
    return peer.Answer("{}", status);
  }};
  IoThread loop_;
  ApiClient client_{loop_.io(), server_.Config()};
  EventRecorderOptions options_;
  std::optional<EventRecorder> recorder_;
};

TEST_F(EventRecorderTest, WritesWhatTheApiAsksFor) {
  Start();
  Event event = About("web-1");
  event.related = ObjectReference{"v1", "Node", "", "node-1", "uid-n", ""};
  recorder_->Record(event);
  const FakeRequest request = Requests(1)[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/apis/events.k8s.io/v1/namespaces/team/events");
  boost::json::object json = Json(request);
  EXPECT_THAT(std::string(json["metadata"].at("name").as_string()), StartsWith("web-1."));
  json.erase("metadata");
  EXPECT_EQ(boost::json::value(json),
            boost::json::parse(
                R"({"apiVersion":"events.k8s.io/v1","kind":"Event",)"
                R"("eventTime":"2026-01-01T00:00:00.000000Z","type":"Warning",)"
                R"("reason":"FailedScheduling","action":"Scheduling","note":"no room",)"
                R"("regarding":{"apiVersion":"v1","kind":"Pod","name":"web-1","namespace":"team",)"
                R"("uid":"uid-web-1","resourceVersion":"7"},)"
                R"("reportingController":"dqn-scheduler","reportingInstance":"dqn-scheduler-host",)"
                R"("related":{"apiVersion":"v1","kind":"Node","name":"node-1","uid":"uid-n"}})"));
}

TEST_F(EventRecorderTest, RepeatsBecomeASeries) {
  options_.flush_interval = std::chrono::hours(1);
  Start();
  recorder_->Record(About("web-1"));
  const std::string name(Json(Requests(1)[0])["metadata"].at("name").as_string());
  Await([&] { return recorder_->counters().created == 1u; });
  clock_.Advance(std::chrono::seconds(90));
  recorder_->Record(About("web-1"));
  const FakeRequest patch = Requests(2)[1];
  EXPECT_EQ(patch.method, "PATCH");
  EXPECT_EQ(patch.path, "/apis/events.k8s.io/v1/namespaces/team/events/" + name);
  EXPECT_EQ(patch.body,
            R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:01:30.000000Z"}})");
  recorder_->Record(About("web-1", "another note"));
  EXPECT_EQ(Requests(3)[2].method, "POST");
}

TEST_F(EventRecorderTest, LaterRepeatsAreWrittenTogether) {
  Start();
  for (int i = 0; i < 40; ++i) recorder_->Record(About("web-1"));
  Await([&] {
    const std::lock_guard lock(mutex_);
    return !requests_.empty() && requests_.back().body.find("\"count\":40") != std::string::npos;
  });
  EXPECT_LT(Requests(1).size(), 40u);
}

TEST_F(EventRecorderTest, AfterTheWindowItIsANewEvent) {
  Start();
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().created == 1u; });
  clock_.Advance(std::chrono::minutes(7));
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().created == 2u; });
  EXPECT_NE(Json(Requests(2)[0])["metadata"].at("name"),
            Json(Requests(2)[1])["metadata"].at("name"));
}

TEST_F(EventRecorderTest, OneObjectMayNotFloodTheServer) {
  options_.burst = 3;
  Start();
  for (int i = 0; i < 10; ++i) recorder_->Record(About("noisy", "note " + std::to_string(i)));
  recorder_->Record(About("quiet"));
  Await([&] { return recorder_->counters().created == 4u; });
  EXPECT_EQ(recorder_->counters().dropped_rate, 7u);
  clock_.Advance(std::chrono::minutes(5));
  recorder_->Record(About("noisy", "later"));
  Await([&] { return recorder_->counters().created == 5u; });
}

TEST_F(EventRecorderTest, AFullQueueDropsAndNeverWaits) {
  hang_ = true;
  options_.queue_size = 10;
  options_.max_in_flight = 2;
  Start();
  for (int i = 0; i < 1000; ++i) recorder_->Record(About("web-" + std::to_string(i)));
  Await([&] { return recorder_->counters().dropped_full >= 1000u - 2 - 10 - 10; });
  EXPECT_EQ(recorder_->counters().created, 0u);
  recorder_.reset();  // with requests in flight
}

TEST_F(EventRecorderTest, ARefusalIsCountedAndForgotten) {
  {
    const std::lock_guard lock(mutex_);
    status_ = "403 Forbidden";
  }
  Start();
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().failed == 1u; });
  {
    const std::lock_guard lock(mutex_);
    status_ = "201 Created";
  }
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().created == 1u; });
}

TEST_F(EventRecorderTest, ASeriesWhoseEventIsGoneIsMadeAgain) {
  Start();
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().created == 1u; });
  {
    const std::lock_guard lock(mutex_);
    status_ = "404 Not Found";
  }
  recorder_->Record(About("web-1"));
  Requests(2);
  {
    const std::lock_guard lock(mutex_);
    status_ = "201 Created";
  }
  Await([&] { return recorder_->counters().created >= 2u || recorder_->counters().failed > 0u; });
  recorder_->Record(About("web-1"));
  Await([&] { return recorder_->counters().created >= 2u; });
}

TEST_F(EventRecorderTest, LongNotesAreCutBetweenCharacters) {
  EXPECT_EQ(TruncateUtf8("abc", 3), "abc");
  EXPECT_EQ(TruncateUtf8("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(TruncateUtf8("ab\xc3\xa9", 4), "ab\xc3\xa9");
  EXPECT_EQ(TruncateUtf8("\xf0\x9f\x98\x80", 3), "");
  Start();
  std::string note = "x";
  while (note.size() < 2000) note += "\xe2\x82\xac";
  recorder_->Record(About(std::string(250, 'p'), note));
  const boost::json::object json = Json(Requests(1)[0]);
  EXPECT_EQ(json.at("note").as_string().size(), 1024u);  // 1 + 341 * 3
  EXPECT_LE(json.at("metadata").at("name").as_string().size(), 253u);
}

}  // namespace
}  // namespace leadline

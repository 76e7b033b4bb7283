#include "leadline/kubernetes/leader_elector.h"

#include <gmock/gmock.h>
#include <spdlog/spdlog.h>

#include <future>
#include <optional>

#include "common/http/io_thread.h"
#include "common/kubernetes/lease_server.h"
#include "leadline/kubernetes/lease.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Mood = LeaseServer::Mood;

// Clocks are moved by hand where time decides; the rhythm of requests is real, and short.
class LeaderElectorTest : public testing::Test {
 protected:
  struct Replica {
    Replica(boost::asio::io_context& io, LeaseServer& server, const std::string& identity,
            const Clock& clock, milliseconds lease, milliseconds renew)
        : client(io, server.Config()) {
      LeaderElectorOptions options;
      options.identity = identity;
      options.lease_namespace = "team";
      options.lease_name = "leader";
      options.lease_duration = lease;
      options.renew_deadline = renew;
      options.retry_period = milliseconds(5);
      options.clock = &clock;
      LeaderElectorHandlers handlers;
      handlers.on_started = [this] { ++started; };
      handlers.on_lost = [this] { ++lost; };
      handlers.on_new_leader = [this](const std::string& who) {
        const std::lock_guard lock(mutex);
        leaders.push_back(who);
      };
      elector.emplace(io, client, options, std::move(handlers));
    }
    bool Release() {
      std::promise<bool> promise;
      elector->Release([&](bool released) { promise.set_value(released); });
      return promise.get_future().get();
    }

    std::atomic<int> started{0}, lost{0};
    std::mutex mutex;
    std::vector<std::string> leaders;
    ApiClient client;
    std::optional<LeaderElector> elector;
  };

  LeaderElectorTest() { spdlog::set_level(spdlog::level::off); }
  ~LeaderElectorTest() override {
    replicas_.clear();
    spdlog::set_level(spdlog::level::info);
  }

  Replica& Add(const std::string& identity, const Clock& clock, milliseconds lease = seconds(15),
               milliseconds renew = seconds(10)) {
    replicas_.push_back(
        std::make_unique<Replica>(loop_.io(), server_, identity, clock, lease, renew));
    replicas_.back()->elector->Start();
    return *replicas_.back();
  }
  template <typename Condition>
  void Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    ASSERT_TRUE(condition());
  }
  void AwaitRequests(std::size_t more) {
    const std::size_t before = server_.requests().size();
    Await([&] { return server_.requests().size() >= before + more; });
  }
  static std::string HeldBy(const std::string& holder, int duration, const std::string& renewed) {
    return R"({"kind":"Lease","metadata":{"name":"leader","labels":{"a":"b"}},"spec":{)"
           R"("holderIdentity":")" +
           holder + R"(","leaseDurationSeconds":)" + std::to_string(duration) +
           R"(,"acquireTime":"2001-01-01T00:00:00.000000Z","renewTime":")" + renewed +
           R"(","leaseTransitions":4,"strategy":"OldestEmulationVersion"}})";
  }

  ManualClock clock_, other_clock_;
  LeaseServer server_;
  IoThread loop_;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

TEST_F(LeaderElectorTest, MakesTheLeaseAndRenewsIt) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  EXPECT_TRUE(a.elector->IsLeader());
  EXPECT_EQ(server_.holder(), "a");
  EXPECT_EQ(server_.spec("leaseDurationSeconds"), 15);
  EXPECT_EQ(server_.spec("leaseTransitions"), 0);
  EXPECT_EQ(server_.spec("acquireTime"), "2026-01-01T00:00:00.000000Z");
  clock_.Advance(seconds(3));
  Await([&] { return server_.spec("renewTime") == "2026-01-01T00:00:03.000000Z"; });
  EXPECT_EQ(server_.spec("acquireTime"), "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(a.started, 1);
  // Renewals need one request each: it was read once, before it was made.
  EXPECT_EQ(server_.CountOf("GET:404") + server_.CountOf("GET:200"), 1u);
}

TEST_F(LeaderElectorTest, AnotherOneWaitsForAWholeLeaseWithoutNews) {
  server_.Put(HeldBy("b", 15, "2001-01-01T00:00:00.000000Z"));
  Replica& a = Add("a", clock_);
  AwaitRequests(3);
  clock_.Advance(seconds(14));
  AwaitRequests(3);
  server_.Put(HeldBy("b", 15, "2001-01-01T00:00:14.000000Z"));  // renewed: from here again
  AwaitRequests(3);
  clock_.Advance(seconds(14));
  AwaitRequests(3);
  EXPECT_EQ(a.started, 0);
  EXPECT_FALSE(a.elector->IsLeader());
  clock_.Advance(seconds(2));
  Await([&] { return a.started == 1; });
  EXPECT_EQ(server_.spec("leaseTransitions"), 5);
  // What others wrote into it is still there.
  EXPECT_EQ(server_.spec("strategy"), "OldestEmulationVersion");
  EXPECT_EQ(server_.lease().at("metadata").at("labels").at("a"), "b");
  const std::lock_guard lock(a.mutex);
  EXPECT_THAT(a.leaders, testing::ElementsAre("b", "a"));
}

TEST_F(LeaderElectorTest, TheHoldersClockDoesNotMatter) {
  // Years behind, then years ahead: only that it changes, or not, is believed.
  for (const char* renewed : {"1999-01-01T00:00:00.000000Z", "2090-01-01T00:00:00.000000Z"}) {
    server_.Put(HeldBy("b", 15, renewed));
    Replica& a = Add("a", clock_);
    AwaitRequests(4);
    EXPECT_EQ(a.started, 0) << renewed;
    clock_.Advance(seconds(16));
    Await([&] { return a.started == 1; });
    replicas_.clear();
  }
}

TEST_F(LeaderElectorTest, TheDurationInTheLeaseCounts) {
  server_.Put(HeldBy("b", 60, "2026-01-01T00:00:00.000000Z"));
  Replica& a = Add("a", clock_);
  AwaitRequests(3);
  clock_.Advance(seconds(59));
  AwaitRequests(3);
  EXPECT_EQ(a.started, 0);
  clock_.Advance(seconds(2));
  Await([&] { return a.started == 1; });
}

TEST_F(LeaderElectorTest, AReleasedLeaseIsTakenAtOnce) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  Replica& b = Add("b", other_clock_);
  AwaitRequests(3);
  EXPECT_TRUE(a.Release());
  EXPECT_FALSE(a.elector->IsLeader());
  Await([&] { return b.started == 1; });
  EXPECT_EQ(server_.holder(), "b");
  EXPECT_EQ(server_.spec("leaseTransitions"), 1);
  EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaderElectorTest, ReleaseWritesAnEmptyHolder) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.ChangeBeforeNextPut();  // a conflict is looked into and tried again
  EXPECT_TRUE(a.Release());
  EXPECT_EQ(server_.spec("holderIdentity"), "");
  EXPECT_EQ(server_.spec("leaseDurationSeconds"), 1);
  const std::size_t requests = server_.requests().size();
  EXPECT_FALSE(a.Release());
  EXPECT_EQ(server_.requests().size(), requests);
}

TEST_F(LeaderElectorTest, WhoDoesNotLeadHasNothingToRelease) {
  server_.Put(HeldBy("b", 15, "2026-01-01T00:00:00.000000Z"));
  Replica& a = Add("a", clock_);
  AwaitRequests(2);
  EXPECT_FALSE(a.Release());
  EXPECT_EQ(server_.holder(), "b");
  EXPECT_EQ(server_.CountOf("PUT:200"), 0u);
}

TEST_F(LeaderElectorTest, AConflictIsLookedInto) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.ChangeBeforeNextPut();
  Await([&] { return server_.CountOf("PUT:409") == 1; });
  const std::size_t renewals = server_.CountOf("PUT:200");
  Await([&] { return server_.CountOf("PUT:200") > renewals; });
  EXPECT_TRUE(a.elector->IsLeader());
  EXPECT_EQ(a.lost, 0);
  EXPECT_EQ(server_.spec("leaseTransitions"), 0);
}

TEST_F(LeaderElectorTest, OfManyThatRaceOneWins) {
  std::vector<Replica*> all;
  for (int i = 0; i < 5; ++i) all.push_back(&Add("r" + std::to_string(i), clock_));
  AwaitRequests(40);
  int leaders = 0;
  for (const Replica* one : all) leaders += one->elector->IsLeader() ? 1 : 0;
  EXPECT_EQ(leaders, 1);
}

TEST_F(LeaderElectorTest, AShortAbsenceOfTheServerIsSurvived) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.mood = Mood::kAway;
  AwaitRequests(6);
  clock_.Advance(seconds(9));
  AwaitRequests(2);
  EXPECT_TRUE(a.elector->IsLeader());
  server_.mood = Mood::kFine;
  const std::size_t renewals = server_.CountOf("PUT:200");
  // The second is sent once the answer to the first has been taken in.
  Await([&] { return server_.CountOf("PUT:200") >= renewals + 2; });
  clock_.Advance(seconds(9));  // counts from the renewal
  EXPECT_TRUE(a.elector->IsLeader());
  EXPECT_EQ(a.lost, 0);
}

TEST_F(LeaderElectorTest, PastTheRenewDeadlineLeadershipIsLost) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.mood = Mood::kAway;
  AwaitRequests(4);
  clock_.Advance(seconds(11));
  EXPECT_FALSE(a.elector->IsLeader());  // at once, whatever the timers do
  Await([&] { return a.lost == 1; });
  const std::size_t renewals = server_.CountOf("PUT:200");
  server_.mood = Mood::kFine;  // too late
  std::this_thread::sleep_for(milliseconds(30));
  EXPECT_EQ(server_.CountOf("PUT:200"), renewals);
  EXPECT_FALSE(a.elector->IsLeader());
  EXPECT_EQ(a.lost, 1);
}

TEST_F(LeaderElectorTest, AServerThatHangsIsNoBetter) {
  Replica& a = Add("a", Clock::Real(), seconds(3), seconds(1));
  Await([&] { return a.started == 1; });
  server_.mood = Mood::kHangs;
  Await([&] { return a.lost == 1; });
  EXPECT_FALSE(a.elector->IsLeader());
}

TEST_F(LeaderElectorTest, AWriteWithoutAnAnswerMayHaveBeenCarriedOut) {
  server_.mood = Mood::kForgetful;
  Replica& a = Add("a", clock_);
  Await([&] { return server_.holder() == "a"; });
  AwaitRequests(3);
  EXPECT_EQ(a.started, 0);
  server_.mood = Mood::kFine;
  Await([&] { return a.started == 1; });
  EXPECT_EQ(server_.spec("leaseTransitions"), 0);
}

TEST_F(LeaderElectorTest, SomebodyElsesLeaseIsLost) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.Put(HeldBy("b", 15, "2026-01-01T00:00:00.000000Z"));
  Await([&] { return a.lost == 1; });
  EXPECT_EQ(server_.holder(), "b");
}

TEST_F(LeaderElectorTest, ADeletedLeaseIsMadeAgain) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  server_.Delete();
  Await([&] { return server_.CountOf("POST:201") == 2; });
  EXPECT_EQ(a.lost, 0);
  EXPECT_TRUE(a.elector->IsLeader());
}

TEST_F(LeaderElectorTest, AfterAPauseItKnowsBeforeItAsks) {
  Replica& a = Add("a", clock_);
  Await([&] { return a.started == 1; });
  EXPECT_TRUE(a.elector->Check(seconds(20)).has_value());
  loop_.Stop();  // nothing runs, as under SIGSTOP
  clock_.Advance(seconds(36));
  EXPECT_FALSE(a.elector->IsLeader());
  EXPECT_THAT(a.elector->Check(seconds(20)).error().message(), HasSubstr("36s ago"));
}

TEST_F(LeaderElectorTest, MayGoInTheMiddleOfARequest) {
  server_.mood = Mood::kHangs;
  for (int i = 0; i < 5; ++i) Add("r", clock_);
  std::this_thread::sleep_for(milliseconds(3));
  replicas_.clear();
}

TEST(LeaderIdentityTest, IdentitiesDiffer) {
  const std::string one = NewLeaderIdentity();
  EXPECT_THAT(one,
              testing::MatchesRegex(".*_[0-9a-f]+-[0-9a-f]+-4[0-9a-f]+-[89ab][0-9a-f]+-[0-9a-f]+"));
  EXPECT_EQ(one.size() - one.rfind('_'), 37u);
  EXPECT_NE(one, NewLeaderIdentity());
}

TEST(LeaseTest, ReadsWhatIsThereAndNothingElse) {
  EXPECT_FALSE(Lease::Parse("").has_value());
  EXPECT_FALSE(Lease::Parse("[1]").has_value());
  EXPECT_EQ(Lease::Parse("{}")->record(), LeaseRecord());
  EXPECT_EQ(Lease::Parse(R"({"spec":[]})")->record(), LeaseRecord());
  EXPECT_EQ(Lease::Parse(R"({"spec":{"holderIdentity":7,"leaseDurationSeconds":"9"}})")->record(),
            LeaseRecord());
  Lease lease = std::move(*Lease::Parse(R"({"spec":null,"x":1})"));
  lease.set_record({"a", 3, "", "", 1});
  EXPECT_EQ(lease.Json(),
            R"({"spec":{"holderIdentity":"a","leaseDurationSeconds":3,"acquireTime":null,)"
            R"("renewTime":null,"leaseTransitions":1},"x":1})");
}

}  // namespace
}  // namespace leadline

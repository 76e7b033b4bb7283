#include "leadline/kubernetes/leader_elector.h"

#include <gmock/gmock.h>

#include <future>
#include <mutex>
#include <optional>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"
#include "leadline/kubernetes/lease.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// An API server that holds one Lease, with optimistic concurrency, and can be broken.
class LeaseServer {
 public:
  LeaseServer() : api_([this](RawServer::Peer& p, const FakeRequest& r) { return Serve(p, r); }) {}

  ClientConfig Config() const { return api_.Config(); }
  std::optional<Lease> lease() const {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  void Put(const std::string& holder, seconds duration) {
    const std::lock_guard lock(mutex_);
    Lease lease;
    lease.metadata.name = "l";
    lease.metadata.namespace_name = "ns";
    lease.metadata.resource_version = std::to_string(++version_);
    lease.holder = holder;
    lease.duration = duration;
    lease_ = lease;
  }
  void Break(bool broken) {
    const std::lock_guard lock(mutex_);
    broken_ = broken;
  }

 private:
  bool Serve(RawServer::Peer& peer, const FakeRequest& request) {
    const std::lock_guard lock(mutex_);
    if (broken_) return false;
    if (request.method == "GET") {
      return lease_ ? Reply(peer, 200, ToJson(*lease_))
                    : Reply(peer, 404, StatusJson(404, "NotFound", "no such Lease"));
    }
    Lease sent = ParseLease(request.body).value();
    const bool fresh = request.method == "POST" ? !lease_
                                                : lease_ && lease_->metadata.resource_version ==
                                                                sent.metadata.resource_version;
    if (!fresh) return Reply(peer, 409, StatusJson(409, "Conflict", "somebody else wrote it"));
    sent.metadata.resource_version = std::to_string(++version_);
    lease_ = sent;
    return Reply(peer, 200, ToJson(*lease_));
  }
  static bool Reply(RawServer::Peer& peer, int code, const std::string& body) {
    return peer.Write("HTTP/1.1 " + std::to_string(code) +
                      " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  mutable std::mutex mutex_;
  std::optional<Lease> lease_;
  int version_ = 0;
  bool broken_ = false;
  FakeApi api_;  // last: its threads use the others
};

class LeaderElectorTest : public ::testing::Test {
 protected:
  template <typename Condition>
  static void Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  struct Replica {
    Replica(IoThread& loop, const LeaseServer& server, const std::string& identity)
        : api(loop.io(), server.Config()) {
      LeaderElectorOptions options;
      options.identity = identity;
      options.lease_namespace = "ns";
      options.lease_name = "l";
      options.lease_duration = seconds(1);
      options.renew_deadline = milliseconds(600);
      options.retry_period = milliseconds(50);
      LeaderElectorHandlers handlers;
      handlers.on_started = [this] { started = true; };
      handlers.on_lost = [this] { ++lost; };
      elector = std::make_unique<LeaderElector>(loop.io(), api, options, handlers);
      elector->Start();
    }
    ApiClient api;
    std::atomic<bool> started = false;
    std::atomic<int> lost = 0;
    std::unique_ptr<LeaderElector> elector;  // first to go
  };

  LeaseServer server_;
  IoThread loop_;
};

TEST_F(LeaderElectorTest, OneOfTwoLeadsAndTheOtherTakesOver) {
  auto a = std::make_unique<Replica>(loop_, server_, "a");
  Await([&] { return a->started.load(); });
  Replica b(loop_, server_, "b");
  std::this_thread::sleep_for(milliseconds(1500));  // longer than the Lease: it is renewed
  EXPECT_TRUE(a->elector->IsLeader());
  EXPECT_FALSE(b.started);
  a.reset();  // dies; its Lease runs out
  Await([&] { return b.started.load(); });
  EXPECT_TRUE(b.elector->IsLeader());
  EXPECT_EQ(server_.lease()->holder, "b");
  EXPECT_EQ(server_.lease()->transitions, 1);
}

TEST_F(LeaderElectorTest, AReleasedLeaseIsTakenAtOnce) {
  server_.Put("other", seconds(3600));
  Replica b(loop_, server_, "b");
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_FALSE(b.started);
  server_.Put("", seconds(1));
  Await([&] { return b.started.load(); });
  std::promise<void> released;
  b.elector->Release([&] { released.set_value(); });
  released.get_future().get();
  EXPECT_FALSE(b.elector->IsLeader());
  EXPECT_EQ(server_.lease()->holder, "");
  EXPECT_EQ(b.lost, 0);  // it gave it up itself
}

TEST_F(LeaderElectorTest, WithoutTheApiServerTheLeaderStepsDownBeforeTheLeaseEnds) {
  Replica a(loop_, server_, "a");
  Await([&] { return a.started.load(); });
  server_.Break(true);
  const auto broken = std::chrono::steady_clock::now();
  Await([&] { return a.lost == 1; });
  EXPECT_FALSE(a.elector->IsLeader());
  EXPECT_GE(std::chrono::steady_clock::now() - broken, milliseconds(300));
  server_.Break(false);
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_EQ(a.lost, 1);  // once, and for good
  EXPECT_FALSE(a.elector->IsLeader());
}

TEST_F(LeaderElectorTest, ALeaseTakenByAnotherIsLostAtTheNextRenewal) {
  Replica a(loop_, server_, "a");
  Await([&] { return a.started.load(); });
  server_.Put("thief", seconds(3600));
  Await([&] { return a.lost == 1; });
  EXPECT_EQ(server_.lease()->holder, "thief");
}

TEST_F(LeaderElectorTest, ItsOwnLeaseFromAnEarlierLifeIsTakenUpAgain) {
  server_.Put("a", seconds(3600));
  Replica a(loop_, server_, "a");
  Await([&] { return a.started.load(); });
  EXPECT_EQ(server_.lease()->transitions, 0);
}

TEST(LeaseTest, ReadsWhatItWrites) {
  Lease lease;
  lease.metadata.name = "l";
  lease.metadata.namespace_name = "ns";
  lease.metadata.resource_version = "7";
  lease.holder = "me";
  lease.duration = seconds(15);
  lease.acquired = lease.renewed = FromUnixSeconds(1800000000);
  lease.transitions = 3;
  const Lease read = ParseLease(ToJson(lease)).value();
  EXPECT_EQ(read.metadata.resource_version, "7");
  EXPECT_EQ(read.holder, "me");
  EXPECT_EQ(read.duration, seconds(15));
  EXPECT_EQ(read.renewed, lease.renewed);
  EXPECT_EQ(read.transitions, 3);
  EXPECT_THAT(std::string(ParseLease(R"({"spec":{"leaseTransitions":"x"}})").error().message()),
              ::testing::HasSubstr("leaseTransitions"));
  EXPECT_EQ(ParseLease(R"({"spec":{"holderIdentity":null}})").value().holder, "");
}

}  // namespace
}  // namespace leadline

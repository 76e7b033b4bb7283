#include "leadline/framework/waiting_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace leadline {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Code = Status::Code;

std::shared_ptr<const PodInfo> PodOf(const std::string& uid) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.uid = uid;
  return std::make_shared<const PodInfo>(std::move(pod));
}

class WaitingPodsTest : public testing::Test {
 protected:
  std::future<Status> Add(const std::string& uid, const PermitWaits& waits) {
    auto promise = std::make_shared<std::promise<Status>>();
    pods_.Add(PodOf(uid), waits, [promise](Status status) { promise->set_value(status); });
    return promise->get_future();
  }

  WaitingPods pods_;
};

TEST_F(WaitingPodsTest, EveryPluginHasToAllow) {
  std::future<Status> said = Add("u", {{"b", hours(1)}, {"a", hours(1)}});
  EXPECT_THAT(pods_.PendingPlugins("u"), ElementsAre("a", "b"));
  EXPECT_TRUE(pods_.Allow("u", "a"));
  EXPECT_TRUE(pods_.Allow("u", "a"));            // once is enough
  EXPECT_TRUE(pods_.Allow("u", "a bystander"));  // and nobody else can
  EXPECT_THAT(pods_.PendingPlugins("u"), ElementsAre("b"));
  EXPECT_EQ(said.wait_for(milliseconds(20)), std::future_status::timeout);
  EXPECT_TRUE(pods_.Allow("u", "b"));
  EXPECT_TRUE(said.get().ok());
  EXPECT_FALSE(pods_.Allow("u", "b"));
  EXPECT_THAT(pods_.PendingPlugins("u"), IsEmpty());
}

TEST_F(WaitingPodsTest, OneRejectionEndsIt) {
  std::future<Status> said = Add("u", {{"a", hours(1)}, {"b", hours(1)}});
  EXPECT_TRUE(pods_.Reject("u", "b", "no partner"));
  EXPECT_FALSE(pods_.Reject("u", "a", "too late"));
  EXPECT_FALSE(pods_.Reject("stranger", "a", "who"));
  const Status status = said.get();
  EXPECT_EQ(status.code(), Code::kUnschedulable);
  EXPECT_EQ(status.plugin(), "b");
  EXPECT_EQ(status.Message(), "no partner");
}

TEST_F(WaitingPodsTest, TheShortestTimeCounts) {
  std::future<Status> slow = Add("slow", {{"a", hours(1)}});
  std::future<Status> said = Add("u", {{"a", hours(1)}, {"b", milliseconds(30)}});
  const Status status = said.get();
  EXPECT_EQ(status.code(), Code::kUnschedulable);
  EXPECT_EQ(status.plugin(), "b");
  EXPECT_EQ(status.Message(), "rejected due to timeout after waiting 30ms at plugin b");
  EXPECT_EQ(slow.wait_for(milliseconds(0)), std::future_status::timeout);
}

TEST_F(WaitingPodsTest, APluginThatAllowedHasNoTimeOutAnyMore) {
  std::future<Status> said = Add("u", {{"a", milliseconds(200)}, {"b", hours(1)}});
  pods_.Allow("u", "a");
  EXPECT_EQ(said.wait_for(milliseconds(400)), std::future_status::timeout);
  pods_.Allow("u", "b");
  EXPECT_TRUE(said.get().ok());
}

TEST_F(WaitingPodsTest, ClosingEndsEveryWait) {
  std::vector<std::future<Status>> all;
  for (int i = 0; i < 100; ++i) all.push_back(Add("u" + std::to_string(i), {{"a", hours(1)}}));
  EXPECT_EQ(pods_.Pods().size(), 100u);
  pods_.Close();
  for (auto& one : all) {
    ASSERT_EQ(one.wait_for(milliseconds(0)), std::future_status::ready);
    EXPECT_EQ(one.get().code(), Code::kPending);
  }
  EXPECT_EQ(Add("late", {{"a", hours(1)}}).get().code(), Code::kPending);
  EXPECT_THAT(pods_.Pods(), IsEmpty());
}

// As a plugin that lets a group go together: it speaks under its own lock, and is called again
// from what it caused.
TEST_F(WaitingPodsTest, MayBeUsedUnderTheCallersLockAndFromItsOwnThread) {
  std::mutex plugin;
  std::promise<void> second;
  pods_.Add(PodOf("1"), {{"a", hours(1)}}, [&](const Status&) {
    const std::lock_guard lock(plugin);
    pods_.Reject("2", "a", "the first has gone");
  });
  pods_.Add(PodOf("2"), {{"a", hours(1)}}, [&](const Status&) { second.set_value(); });
  {
    const std::lock_guard lock(plugin);
    pods_.Allow("1", "a");
  }
  second.get_future().get();
}

TEST_F(WaitingPodsTest, IsAnsweredOnceByWhoeverComesFirst) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> answers{0};
    std::promise<void> answered;
    pods_.Add(PodOf("u"), {{"a", milliseconds(1)}}, [&](const Status&) {
      if (++answers == 1) answered.set_value();
    });
    std::thread allows([&] { pods_.Allow("u", "a"); });
    std::thread rejects([&] { pods_.Reject("u", "a", "no"); });
    allows.join();
    rejects.join();
    answered.get_future().get();
    EXPECT_EQ(answers, 1);
  }
}

}  // namespace
}  // namespace leadline

#include "leadline/core/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"

namespace leadline {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(SchedulerTest, BindsAndSaysSo) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 500));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.sizes().assumed == 0; }));
  EXPECT_THAT(bench.cluster.events(),
              Contains("Scheduled default/p: Successfully assigned default/p to n1"));
  const auto decisions = bench.decisions();
  ASSERT_EQ(decisions.size(), 1u);
  EXPECT_EQ(decisions[0]->id, "test-1");
  EXPECT_EQ(decisions[0]->node, "n1");
  EXPECT_THAT(bench.Metrics(),
              HasSubstr("scheduler_schedule_attempts_total{profile=\"dqn-scheduler\","
                        "result=\"scheduled\"} 1"));
}

TEST(SchedulerTest, LeavesOtherSchedulersPodsAlone) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 4));
  auto other = MakePod("other", 100);
  other->spec.scheduler_name = "default-scheduler";
  bench.cluster.Add(other);
  bench.cluster.Add(MakePod("ours", 100));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_EQ(bench.cluster.pods().at("uid-other")->spec.node_name, "");
}

TEST(SchedulerTest, SaysWhyNotInKubeSchedulersWords) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(MakeNode("n2", 4, 0));
  bench.cluster.Add(MakePod("big", 2000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const auto& pods) {
    return pods.at("uid-big")->FindCondition("PodScheduled") != nullptr;
  }));
  const auto* condition = bench.cluster.pods().at("uid-big")->FindCondition("PodScheduled");
  const std::string message =
      "0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods. preemption: 0/2 nodes are "
      "available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for "
      "scheduling.";
  EXPECT_EQ(condition->reason, "Unschedulable");
  EXPECT_EQ(condition->message, message);
  EXPECT_THAT(bench.cluster.events(), Contains("FailedScheduling default/big: " + message));
}

TEST(SchedulerTest, AWaitingPodIsWokenByTheNodeThatFits) {
  Bench bench;
  bench.cluster.Add(MakeNode("small", 1));
  bench.cluster.Add(MakePod("p", 2000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  bench.cluster.Add(MakeNode("large", 4));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
}

TEST(SchedulerTest, AFailedBindingIsUndoneAndTriedAgain) {
  Bench bench;
  int calls = 0;
  bench.cluster.on_bind = [&](const Pod&, const std::string&) {
    return ++calls <= 2 ? "etcd is slow today" : "";
  };
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(MakePod("p", 1000));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(bench.cache.FindInconsistency(), "");
  EXPECT_EQ(bench.cache.UpdateSnapshot()->Find("n1")->requested().milli_cpu, 1000);
  EXPECT_THAT(bench.cluster.events(),
              Contains(HasSubstr("binding rejected: running Bind plugin \"DefaultBinder\": etcd is "
                                 "slow today")));
}

TEST(SchedulerTest, RoomHeldForADeletedPodIsFreed) {
  Bench bench;
  bench.cluster.on_bind = [&](const Pod& pod, const std::string&) {
    return pod.metadata.name == "x" ? "not today" : "";
  };
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("x", 4000));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return !bench.decisions().empty(); }));
  bench.cluster.Delete("uid-x");
  bench.cluster.Add(MakePod("y", 4000));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_EQ(bench.cache.sizes().pods, 1u);
}

// A policy that puts every Pod off twice.
class Reluctant : public PreScorePlugin {
 public:
  std::string_view Name() const override { return "Reluctant"; }
  Status PreScore(CycleState& state, const PodInfo&, NodeList) override {
    if (state.deferrals() >= 2) return Status::Skip();
    return Status(Status::Code::kDeferred, "rather waits");
  }
};

TEST(SchedulerTest, ADeferredPodGetsAnEventAndNoCondition) {
  PluginRegistry extra;
  extra.emplace("Reluctant", [](const YamlNode&, const YamlDocument*) {
    return Result<std::shared_ptr<Plugin>>(std::make_shared<Reluctant>());
  });
  Bench bench(extra, {{"Reluctant"}});
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 100));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_THAT(bench.cluster.events(),
              Contains("SchedulingDeferred default/p: rather waits (deferral 2)"));
  EXPECT_EQ(bench.cluster.pods().at("uid-p")->FindCondition("PodScheduled"), nullptr);
  EXPECT_EQ(bench.decisions().size(), 3u);
}

}  // namespace
}  // namespace leadline

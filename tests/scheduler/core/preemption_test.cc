// Preemption from the refused Pod to its binding: nominations, evictions, and who else sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"

namespace leadline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Pods = MemoryCluster::Pods;

std::shared_ptr<Pod> PodOf(const std::string& name, int priority, int milli_cpu,
                           const std::string& node = "") {
  auto pod = MakePod(name, milli_cpu);
  pod->spec.priority = priority;
  pod->spec.node_name = node;
  return pod;
}

// n1 in another size, still too small for two.
std::shared_ptr<const Node> NodeWith(int milli_cpu) {
  auto node = std::make_shared<Node>(*MakeNode("n1", 1));
  node->allocatable.front().second = Quantity::FromMilli(milli_cpu);
  return node;
}

std::string NodeOf(const Pods& pods, const std::string& name) {
  const auto found = pods.find("uid-" + name);
  return found == pods.end() ? "(gone)" : found->second->spec.node_name;
}

std::string NominatedOf(const Pods& pods, const std::string& name) {
  return pods.at("uid-" + name)->status.nominated_node_name;
}

TEST(PreemptionTest, EvictsWaitsAndBinds) {
  Bench bench;
  bench.cluster.victims_linger = true;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& pods) {
    return pods.at("uid-low")->metadata.deleting && NominatedOf(pods, "high") == "n1";
  }));
  const auto* condition = bench.cluster.pods().at("uid-low")->FindCondition("DisruptionTarget");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason, "PreemptionByScheduler");
  EXPECT_EQ(condition->message, "dqn-scheduler: preempting to accommodate a higher priority pod");
  EXPECT_EQ(NodeOf(bench.cluster.pods(), "high"), "") << "its victim is still there";
  bench.cluster.Delete("uid-low");
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "high") == "n1"; }));
  const auto events = bench.cluster.events();
  EXPECT_THAT(events, Contains("Preempted default/low: Preempted by pod uid-high on node n1"));
  EXPECT_THAT(events, Contains("FailedScheduling default/high: 0/1 nodes are available: 1 "
                               "Insufficient cpu. preemption: found a potential placement for pod "
                               "on node n1, preempting 1 victims"));
  const std::string metrics = bench.Metrics();
  EXPECT_THAT(metrics, HasSubstr("scheduler_preemption_victims_sum 1\n"));
  EXPECT_THAT(metrics, HasSubstr("scheduler_preemption_victims_count 1\n"));
  EXPECT_THAT(metrics, Not(HasSubstr("scheduler_preemption_attempts_total 0\n")));
}

TEST(PreemptionTest, NobodyIsEvictedTwiceForOnePod) {
  Bench bench;
  bench.cluster.victims_linger = true;
  for (const char* node : {"n1", "n2", "n3"}) {
    bench.cluster.Add(MakeNode(node, 1));
    bench.cluster.Add(PodOf(std::string("low-") + node, 1, 1000, node));
  }
  bench.cluster.Add(PodOf("high", 9, 1000));
  const auto leaving = [](const Pods& pods) {
    return std::count_if(pods.begin(), pods.end(),
                         [](const auto& pod) { return pod.second->metadata.deleting; });
  };
  ASSERT_TRUE(bench.cluster.WaitFor([&](const Pods& pods) { return leaving(pods) == 1; }));
  // It is tried again and again: each change of a node may help.
  for (int i = 1; i <= 20; ++i) {
    bench.cluster.Update(NodeWith(1000 + i - 1), NodeWith(1000 + i));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(bench.cluster.WaitFor([&](const Pods&) {
    const bool rests = bench.scheduler->queue().sizes().unschedulable == 1;
    return rests && bench.decisions().size() > 1;
  }));
  EXPECT_EQ(leaving(bench.cluster.pods()), 1);
}

TEST(PreemptionTest, TheRoomIsNotTakenByOthers) {
  Bench bench;
  bench.cluster.victims_linger = true;
  bench.cluster.Add(MakeNode("n1", 2));
  bench.cluster.Add(PodOf("low", 1, 2000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 2000));
  ASSERT_TRUE(
      bench.cluster.WaitFor([](const Pods& pods) { return NominatedOf(pods, "high") == "n1"; }));
  bench.cluster.Add(PodOf("same", 9, 1000));
  bench.cluster.Add(PodOf("less", 5, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 3; }));
  bench.cluster.Delete("uid-low");
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "high") == "n1"; }));
  EXPECT_EQ(NodeOf(bench.cluster.pods(), "same"), "");
  EXPECT_EQ(NodeOf(bench.cluster.pods(), "less"), "");
  EXPECT_EQ(bench.cache.FindInconsistency(), "");
}

TEST(PreemptionTest, ANominationOfLessImportanceIsTakenBack) {
  Bench bench;
  bench.cluster.victims_linger = true;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("middle", 5, 1000));
  ASSERT_TRUE(
      bench.cluster.WaitFor([](const Pods& pods) { return NominatedOf(pods, "middle") == "n1"; }));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& pods) {
    return NominatedOf(pods, "high") == "n1" && NominatedOf(pods, "middle").empty();
  }));
  bench.cluster.Delete("uid-low");
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "high") == "n1"; }));
}

TEST(PreemptionTest, AVictimThatCannotBeDeletedIsTriedAgain) {
  Bench bench;
  int refusals = 0;
  bench.cluster.on_evict = [&](const Pod&) { return ++refusals <= 2 ? "not today" : ""; };
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "high") == "n1"; }));
  EXPECT_EQ(refusals, 3);
}

TEST(PreemptionTest, TheNominatedNodeIsTakenThoughAnotherScoresHigher) {
  Bench bench;
  bench.cluster.victims_linger = true;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(
      bench.cluster.WaitFor([](const Pods& pods) { return NominatedOf(pods, "high") == "n1"; }));
  // Room on an emptier node comes in the same moment.
  bench.cluster.Delete("uid-low");
  bench.cluster.Add(MakeNode("n0-large", 64));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "high") != ""; }));
  EXPECT_EQ(NodeOf(bench.cluster.pods(), "high"), "n1");
}

TEST(PreemptionTest, C27_ANominationOfANodeThatIsGoneHoldsNothing) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 1));
  auto stuck = PodOf("stuck", 9, 64'000);
  stuck->status.nominated_node_name = "node-gone";
  bench.cluster.Add(stuck);
  bench.cluster.Add(PodOf("p", 1, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "p") == "n1"; }));
  EXPECT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NominatedOf(p, "stuck").empty(); }))
      << "nothing can be done for it there";
}

TEST(PreemptionTest, C27_ANominationDiesWithItsPod) {
  Bench bench;
  bench.cluster.victims_linger = true;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(
      bench.cluster.WaitFor([](const Pods& pods) { return NominatedOf(pods, "high") == "n1"; }));
  bench.cluster.Delete("uid-low");
  bench.cluster.Delete("uid-high");
  bench.cluster.Add(PodOf("other", 1, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "other") == "n1"; }));
}

TEST(PreemptionTest, C27_WhoWaitedForANominationsEndIsWoken) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 1));
  // Nominated by the API server's word, and too large for what is there now.
  auto waiting = PodOf("waiting", 9, 1000);
  waiting->status.nominated_node_name = "n1";
  waiting->spec.scheduling_gates = {"hold"};
  bench.cluster.Add(waiting);
  bench.cluster.Add(PodOf("other", 1, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  bench.cluster.Delete("uid-waiting");
  ASSERT_TRUE(bench.cluster.WaitFor([](const Pods& p) { return NodeOf(p, "other") == "n1"; }));
}

TEST(PreemptionTest, NobodyIsEvictedForAPodThatItWouldNotHelp) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 500, "n1"));
  bench.cluster.Add(PodOf("high", 9, 2000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  const auto pods = bench.cluster.pods();
  EXPECT_FALSE(pods.at("uid-low")->metadata.deleting);
  EXPECT_EQ(NominatedOf(pods, "high"), "");
  EXPECT_THAT(bench.cluster.events(),
              Contains(HasSubstr("preemption: 0/1 nodes are available: 1")));
}

TEST(PreemptionTest, ADryRunEvictsNobody) {
  NoWriter nobody;
  Bench bench({}, {}, &nobody);
  bench.cluster.Add(MakeNode("n1", 1));
  bench.cluster.Add(PodOf("low", 1, 1000, "n1"));
  bench.cluster.Add(PodOf("high", 9, 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return !bench.decisions().empty(); }));
  EXPECT_THAT(bench.decisions()[0]->message, HasSubstr("preempting 1 victims"));
  // Tried again, it does not look for further victims.
  bench.cluster.Update(NodeWith(1000), NodeWith(1500));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.decisions().size() > 1; }));
  EXPECT_THAT(bench.decisions()[1]->message,
              HasSubstr("preemption: waiting for the preemption for this pod to be finished"));
  EXPECT_FALSE(bench.cluster.pods().at("uid-low")->metadata.deleting);
}

}  // namespace
}  // namespace leadline

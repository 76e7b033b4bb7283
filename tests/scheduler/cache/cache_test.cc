#include "leadline/cache/cache.h"

#include <map>

#include <gtest/gtest.h>

#include "leadline/base/rng.h"

namespace leadline {
namespace {

std::shared_ptr<const Node> MakeNode(const std::string& name) {
  auto node = std::make_shared<Node>();
  node->metadata.name = name;
  node->allocatable = {{"cpu", Quantity::FromUnits(4)}, {"pods", Quantity::FromUnits(110)}};
  return node;
}

std::shared_ptr<const Pod> MakePod(const std::string& uid, const std::string& node,
                                   int milli_cpu = 100) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = uid;
  pod->metadata.uid = uid;
  pod->spec.node_name = node;
  Container container;
  container.requests = {{"cpu", Quantity::FromMilli(milli_cpu)}};
  pod->spec.containers.push_back(container);
  return pod;
}

std::int64_t CpuOn(Cache& cache, const std::string& node) {
  const NodeInfo* info = cache.UpdateSnapshot()->Find(node);
  return info == nullptr ? -1 : info->requested().milli_cpu;
}

TEST(CacheTest, AssumedPodsCountAndAreConfirmedOnce) {
  Cache cache;
  cache.SetNode(MakeNode("n"));
  EXPECT_TRUE(cache.Assume(std::make_shared<PodInfo>(MakePod("p", "")), "n"));
  EXPECT_TRUE(cache.IsAssumed("p"));
  EXPECT_EQ(CpuOn(cache, "n"), 100);
  cache.SetPod(MakePod("p", "n"));
  EXPECT_FALSE(cache.IsAssumed("p"));
  EXPECT_EQ(CpuOn(cache, "n"), 100);
  cache.Forget("p");  // too late: it is confirmed
  EXPECT_EQ(CpuOn(cache, "n"), 100);
  EXPECT_EQ(cache.FindInconsistency(), "");
}

TEST(CacheTest, AForgottenAssumptionHoldsNothing) {
  Cache cache;
  cache.SetNode(MakeNode("n"));
  cache.Assume(std::make_shared<PodInfo>(MakePod("p", "")), "n");
  cache.Forget("p");
  EXPECT_EQ(CpuOn(cache, "n"), 0);
  EXPECT_EQ(cache.sizes().assumed, 0u);
}

TEST(CacheTest, AnAssumptionOnTheWrongNodeIsMoved) {
  Cache cache;
  cache.SetNode(MakeNode("a"));
  cache.SetNode(MakeNode("b"));
  cache.Assume(std::make_shared<PodInfo>(MakePod("p", "")), "a");
  cache.SetPod(MakePod("p", "b"));
  EXPECT_EQ(CpuOn(cache, "a"), 0);
  EXPECT_EQ(CpuOn(cache, "b"), 100);
}

TEST(CacheTest, APodOfAnUnknownNodeWaitsForIt) {
  Cache cache;
  cache.SetPod(MakePod("p", "n"));
  EXPECT_EQ(cache.UpdateSnapshot()->nodes().size(), 0u);
  cache.SetNode(MakeNode("n"));
  EXPECT_EQ(CpuOn(cache, "n"), 100);
  cache.RemoveNode("n");
  EXPECT_EQ(CpuOn(cache, "n"), -1);
  cache.SetNode(MakeNode("n"));
  EXPECT_EQ(CpuOn(cache, "n"), 100);
  cache.RemovePod("p");
  EXPECT_EQ(CpuOn(cache, "n"), 0);
  EXPECT_EQ(cache.FindInconsistency(), "");
}

TEST(CacheTest, APodMadeAgainUnderItsNameIsAnother) {
  Cache cache;
  cache.SetNode(MakeNode("n"));
  cache.SetPod(MakePod("first", "n", 300));
  cache.SetPod(MakePod("second", "n", 200));
  cache.RemovePod("first");
  EXPECT_EQ(CpuOn(cache, "n"), 200);
}

TEST(CacheTest, OnlyWhatChangedIsCopied) {
  Cache cache;
  cache.SetNode(MakeNode("a"));
  cache.SetNode(MakeNode("b"));
  const auto before = cache.UpdateSnapshot();
  EXPECT_EQ(cache.UpdateSnapshot(), before);
  cache.SetPod(MakePod("p", "b"));
  const auto after = cache.UpdateSnapshot();
  EXPECT_GT(after->id(), before->id());
  EXPECT_EQ(after->nodes()[0], before->nodes()[0]);
  EXPECT_NE(after->nodes()[1], before->nodes()[1]);
  EXPECT_EQ(before->nodes()[1]->requested().milli_cpu, 0);  // frozen
}

TEST(CacheTest, TheSnapshotKnowsWhoRepels) {
  Cache cache;
  for (const char* name : {"a", "b", "c"}) cache.SetNode(MakeNode(name));
  EXPECT_TRUE(cache.UpdateSnapshot()->anti_affinity_nodes().empty());
  auto pod = std::make_shared<Pod>(*MakePod("p", "b"));
  pod->spec.pod_anti_affinity.required.push_back({});
  cache.SetPod(pod);
  cache.SetPod(MakePod("q", "c"));
  const auto with = cache.UpdateSnapshot();
  ASSERT_EQ(with->anti_affinity_nodes().size(), 1u);
  EXPECT_EQ(with->anti_affinity_nodes()[0], with->Find("b"));
  cache.SetPod(MakePod("r", "a"));  // the list outlives a change elsewhere
  const auto still = cache.UpdateSnapshot();
  ASSERT_EQ(still->anti_affinity_nodes().size(), 1u);
  EXPECT_EQ(still->anti_affinity_nodes()[0], still->Find("b"));
  cache.RemovePod("p");
  EXPECT_TRUE(cache.UpdateSnapshot()->anti_affinity_nodes().empty());
}

// Any order of calls leaves what a naive account has.
TEST(CacheTest, AgreesWithANaiveModel) {
  Rng rng(11);
  for (int round = 0; round < 50; ++round) {
    Cache cache;
    std::map<std::string, std::pair<std::string, int>> pods;  // uid -> node, milli
    std::map<std::string, bool> assumed, nodes;
    for (int step = 0; step < 200; ++step) {
      const std::string node = "n" + std::to_string(rng.Below(4));
      const std::string uid = "p" + std::to_string(rng.Below(12));
      const int milli = 100 * static_cast<int>(1 + rng.Below(5));
      switch (rng.Below(6)) {
        case 0:
          cache.SetNode(MakeNode(node));
          nodes[node] = true;
          break;
        case 1:
          cache.RemoveNode(node);
          nodes[node] = false;
          break;
        case 2:
          cache.SetPod(MakePod(uid, node, milli));
          pods[uid] = {node, milli};
          assumed[uid] = false;
          break;
        case 3:
          cache.RemovePod(uid);
          pods.erase(uid);
          break;
        case 4:
          if (cache.Assume(std::make_shared<PodInfo>(MakePod(uid, "", milli)), node)) {
            ASSERT_EQ(pods.count(uid), 0u);
            pods[uid] = {node, milli};
            assumed[uid] = true;
          }
          break;
        default:
          cache.Forget(uid);
          if (pods.count(uid) != 0 && assumed[uid]) pods.erase(uid);
      }
      if (rng.Below(3) == 0) cache.UpdateSnapshot();
      ASSERT_EQ(cache.FindInconsistency(), "");
    }
    for (const auto& [name, known] : nodes) {
      std::int64_t expected = 0;
      for (const auto& [uid, where] : pods) expected += where.first == name ? where.second : 0;
      EXPECT_EQ(CpuOn(cache, name), known ? expected : -1);
    }
  }
}

}  // namespace
}  // namespace leadline

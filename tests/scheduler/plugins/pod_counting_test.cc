// What holds for every plugin that counts Pods: AddPod and RemovePod say the same as a world with
// or without the Pod, and what is kept from one cycle to the next changes no verdict.
#include <gtest/gtest.h>

#include <random>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

class PodCountingTest : public WorldFixture, public ::testing::WithParamInterface<const char*> {
 protected:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  std::string Labels() {
    return R"("app":")" + std::to_string(Below(3)) + R"(","tier":")" + std::to_string(Below(2)) +
           "\"";
  }
  std::string AffinityTerm() {
    return R"({"labelSelector":{"matchLabels":{"app":")" + std::to_string(Below(3)) +
           R"("}},"topologyKey":")" + (Below(2) == 0 ? "zone" : "host") + "\"}";
  }
  std::string Affinity(const char* kind) {
    return std::string("\"") + kind + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
           AffinityTerm() + "," + AffinityTerm() +
           R"(],"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":)" +
           std::to_string(1 + Below(9)) + R"(,"podAffinityTerm":)" + AffinityTerm() + "}]}";
  }
  std::string Constraints() {
    std::string all;
    for (const char* key : {"zone", "host"}) {
      const char* action = Below(2) == 0 ? "DoNotSchedule" : "ScheduleAnyway";
      all += (all.empty() ? "" : ",") + std::string(R"({"maxSkew":)") +
             std::to_string(1 + Below(2)) + R"(,"topologyKey":")" + key +
             R"(","whenUnsatisfiable":")" + action +
             R"(","labelSelector":{"matchLabels":{"app":")" + std::to_string(Below(3)) +
             R"("}},"minDomains":)" + std::to_string(1 + Below(4)) + "}";
    }
    return R"("topologySpreadConstraints":[)" + all + "]";
  }
  std::string RandomPod() {
    std::string spec;
    if (Below(2) == 0) spec = Constraints();
    if (Below(2) == 0) {
      spec += (spec.empty() ? "" : ",") + std::string(R"("affinity":{)") +
              (Below(2) == 0 ? Affinity("podAffinity") + "," : "") + Affinity("podAntiAffinity") +
              "}";
    }
    return PodJson(Labels(), spec, Below(4) == 0 ? "e" : "d");
  }
  void RandomWorld() {
    for (int i = 0; i < 8; ++i) {
      std::string labels = R"("host":"h)" + std::to_string(i) + "\"";
      if (Below(5) != 0) labels += R"(,"zone":"z)" + std::to_string(Below(3)) + "\"";
      AddNode("n" + std::to_string(i), labels);
      for (int pods = Below(4); pods > 0; --pods) PlacePod("n" + std::to_string(i), RandomPod());
    }
  }
  NodeInfo& AnyNode() { return *nodes_.at("n" + std::to_string(Below(8))); }

  std::mt19937 random_{7};
};

TEST_P(PodCountingTest, AddingAndRemovingAPodIsTheSameAsAnotherWorld) {
  const auto plugin = Make<Plugin>(GetParam());
  auto& pre_filter = dynamic_cast<PreFilterPlugin&>(*plugin);
  auto& filter = dynamic_cast<FilterPlugin&>(*plugin);
  int compared = 0;
  for (int world = 0; world < 200; ++world) {
    RandomWorld();
    const PodInfo pod = MakePod(RandomPod());
    NodeInfo& node = AnyNode();
    const auto other = std::make_shared<const PodInfo>(MakePod(RandomPod()));
    const Snapshot before = TakeSnapshot();
    node.AddPod(other);
    const Snapshot after = TakeSnapshot();
    for (const bool adds : {true, false}) {
      const Snapshot& from = adds ? before : after;
      const Snapshot& to = adds ? after : before;
      CycleState changed("decision", from, 0), fresh("decision", to, 0);
      PreFilterResult ignored;
      // A plugin that has nothing to say before is left out by its caller.
      if (!pre_filter.PreFilter(changed, pod, &ignored).ok()) continue;
      const bool skipped = pre_filter.PreFilter(fresh, pod, &ignored).skip();
      const NodeInfo& changed_node = *to.Find(node.name());
      ASSERT_TRUE((adds ? pre_filter.AddPod(changed, pod, *other, changed_node)
                        : pre_filter.RemovePod(changed, pod, *other, changed_node))
                      .ok());
      for (const auto& one : to.nodes()) {
        const std::string expected = skipped ? "" : filter.Filter(fresh, pod, *one).Message();
        ASSERT_EQ(filter.Filter(changed, pod, *one).Message(), expected)
            << "world " << world << (adds ? ", added " : ", removed ") << one->name();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST_P(PodCountingTest, WhatIsKeptBetweenCyclesChangesNothing) {
  const auto kept = Make<Plugin>(GetParam());
  RandomWorld();
  std::vector<PodInfo> pods;
  for (int i = 0; i < 20; ++i) pods.push_back(MakePod(RandomPod()));
  for (int step = 0; step < 150; ++step) {
    if (Below(10) == 0) {
      nodes_.erase("n" + std::to_string(Below(8)));
      RandomWorld();
    }
    AnyNode().AddPod(std::make_shared<const PodInfo>(MakePod(RandomPod())));
    const Snapshot snapshot = TakeSnapshot();
    const PodInfo& pod = pods[static_cast<std::size_t>(Below(20))];
    const auto fresh = Make<Plugin>(GetParam());
    ASSERT_EQ(Verdicts(*kept, snapshot, pod), Verdicts(*fresh, snapshot, pod)) << step;
    ASSERT_EQ(Scores(*kept, snapshot, pod), Scores(*fresh, snapshot, pod)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Plugins, PodCountingTest,
                         ::testing::Values("InterPodAffinity", "PodTopologySpread"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace leadline

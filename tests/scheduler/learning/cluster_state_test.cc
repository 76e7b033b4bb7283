#include "leadline/learning/cluster_state.h"

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::seconds;

const SystemTime kSampled = FromUnixSeconds(1796100000);

std::shared_ptr<const PodInfo> MakePod(const std::string& name, const std::string& cpu,
                                       std::optional<SystemTime> placed) {
  auto pod = ParsePod(R"({"metadata":{"name":")" + name + R"(","uid":")" + name +
                      R"("},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" +
                      cpu + R"(","memory":"1Gi"}}}]}})");
  if (placed) {
    PodCondition condition{.type = "PodScheduled", .status = "True", .reason = "", .message = ""};
    condition.last_transition = *placed;
    pod->status.conditions.push_back(condition);
  }
  return std::make_shared<const PodInfo>(std::make_shared<const Pod>(std::move(*pod)));
}

std::shared_ptr<NodeInfo> MakeNode(const std::string& name) {
  auto node = ParseNode(R"({"metadata":{"name":")" + name +
                        R"("},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})");
  return std::make_shared<NodeInfo>(std::make_shared<const Node>(std::move(*node)));
}

NodeUsage Usage(double cpu) {
  return {.cpu_ratio = cpu, .memory_ratio = 0.25, .latency_ms = 3.0, .sampled = kSampled};
}

TEST(ClusterStateBuilderTest, CountsWhatTheSampleCannotHaveSeen) {
  const auto node = MakeNode("n1");
  node->AddPod(MakePod("assumed", "1", std::nullopt));
  node->AddPod(MakePod("after", "400m", kSampled + seconds(3)));
  node->AddPod(MakePod("halfway", "400m", kSampled - seconds(30)));
  node->AddPod(MakePod("old", "1", kSampled - seconds(600)));
  ClusterStateBuilder builder({.settle = seconds(60)});
  const auto& states = builder.Build(Snapshot(1, {node}), 1, [](auto) { return Usage(0.1); });
  ASSERT_EQ(states.size(), 1u);
  EXPECT_NEAR(*states[0].cpu_ratio, 0.1 + (1.0 + 0.4 + 0.2) / 4, 1e-9);
  EXPECT_NEAR(*states[0].memory_ratio, 0.25 + 2.5 / 8, 1e-9);
  EXPECT_EQ(states[0].latency_ms, 3.0);
}

TEST(ClusterStateBuilderTest, MissingStaysMissing) {
  const auto node = MakeNode("n1");
  node->AddPod(MakePod("assumed", "1", std::nullopt));
  ClusterStateBuilder builder({});
  const auto& states = builder.Build(Snapshot(1, {node}), 1, [](auto) { return NodeUsage(); });
  EXPECT_FALSE(states[0].cpu_ratio.has_value());
  EXPECT_FALSE(states[0].latency_ms.has_value());
}

TEST(ClusterStateBuilderTest, AsksAgainOnlyForWhatChanged) {
  std::map<std::string, int> asked;
  const UsageLookup lookup = [&](std::string_view name) {
    ++asked[std::string(name)];
    return Usage(0.1);
  };
  const auto a = MakeNode("a"), b = MakeNode("b"), changed = MakeNode("b");
  changed->AddPod(MakePod("p", "1", std::nullopt));
  ClusterStateBuilder builder({});
  builder.Build(Snapshot(1, {a, b}), 1, lookup);
  const auto& states = builder.Build(Snapshot(2, {a, changed}), 1, lookup);
  EXPECT_GT(*states[1].cpu_ratio, 0.3);
  EXPECT_EQ(asked["a"], 1);
  EXPECT_EQ(asked["b"], 2);
  builder.Build(Snapshot(3, {a, changed}), 2, lookup);
  EXPECT_EQ(asked["a"], 2);
}

TEST(ClusterStateBuilderTest, ABurstDoesNotRunToTheIdlestNode) {
  // Three equal nodes measured at 10%, 15%, 15%; 30 Pods of 200m, always to the lowest.
  std::vector<std::shared_ptr<NodeInfo>> nodes = {MakeNode("a"), MakeNode("b"), MakeNode("c")};
  ClusterStateBuilder builder({});
  const auto usage = [](std::string_view name) { return Usage(name == "a" ? 0.10 : 0.15); };
  std::map<std::string, int> placed;
  for (int i = 0; i < 30; ++i) {
    NodeInfos frozen;
    for (const auto& node : nodes) frozen.push_back(std::make_shared<const NodeInfo>(*node));
    const auto& states = builder.Build(Snapshot(i, frozen), 1, usage);
    const auto lowest = std::min_element(
        states.begin(), states.end(), [](auto& x, auto& y) { return *x.cpu_ratio < *y.cpu_ratio; });
    const auto chosen = static_cast<std::size_t>(lowest - states.begin());
    nodes[chosen]->AddPod(MakePod("p" + std::to_string(i), "200m", std::nullopt));
    ++placed[nodes[chosen]->name()];
  }
  for (const auto& [name, count] : placed) EXPECT_LE(count, 15) << name;
  EXPECT_EQ(placed.size(), 3u);
}

}  // namespace
}  // namespace leadline

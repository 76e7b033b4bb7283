#include "leadline/framework/snapshot.h"

#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

std::shared_ptr<const NodeInfo> MakeNodeInfo(const std::string& name) {
  Node node;
  node.metadata.name = name;
  return std::make_shared<const NodeInfo>(std::make_shared<const Node>(std::move(node)));
}

// Names in the order of their numbers.
NodeInfos MakeNodeInfos(int count) {
  NodeInfos nodes;
  for (int i = 0; i < count; ++i) nodes.push_back(MakeNodeInfo(fmt::format("n{:04}", i)));
  return nodes;
}

TEST(SnapshotTest, FindsByNameAndKnowsWhereAntiAffinityIs) {
  const auto plain = MakeNodeInfo("b");
  auto repelling = std::make_shared<NodeInfo>(*MakeNodeInfo("a"));
  repelling->AddPod(std::make_shared<const PodInfo>(std::make_shared<const Pod>(
      *ParsePod(R"({"metadata":{"name":"p","uid":"p"},"spec":{"affinity":{"podAntiAffinity":
      {"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}}})"))));
  const Snapshot snapshot(7, {plain, repelling});
  EXPECT_EQ(snapshot.id(), 7u);
  EXPECT_EQ(snapshot.nodes()[0]->name(), "a");
  EXPECT_EQ(snapshot.Find("b"), plain.get());
  for (const char* stranger : {"", "aa", "c"}) EXPECT_EQ(snapshot.Find(stranger), nullptr);
  ASSERT_EQ(snapshot.anti_affinity_nodes().size(), 1u);
  EXPECT_EQ(snapshot.anti_affinity_nodes()[0], repelling.get());
}

TEST(SnapshotTest, TheOneBeforeStaysAsItWas) {
  const NodeInfos old = MakeNodeInfos(200);
  const Snapshot before(1, old);
  const Snapshot after(2, before, {MakeNodeInfo("n0070"), MakeNodeInfo("n0071")});
  for (std::size_t i = 0; i < old.size(); ++i) {
    EXPECT_EQ(before.nodes()[i], old[i]);
    EXPECT_EQ(after.nodes()[i] == old[i], i != 70 && i != 71) << i;
  }
  std::size_t place = 0;
  for (const auto& node : after.nodes()) EXPECT_EQ(node, after.nodes()[place++]);
  EXPECT_EQ(place, old.size());
}

// Values kept by SeenNodes are those of the nodes, whatever comes, goes and changes, and whichever
// snapshots were not seen.
TEST(SeenNodesTest, TellsEveryChangeAndNothingElse) {
  std::mt19937 random(7);
  std::map<std::string, std::shared_ptr<const NodeInfo>> cluster;
  const auto name = [&] { return fmt::format("n{:04}", random() % 300); };
  const auto all = [&] {
    NodeInfos nodes;
    for (const auto& [key, node] : cluster) nodes.push_back(node);
    return nodes;
  };
  for (const auto& node : MakeNodeInfos(150)) cluster.emplace(node->name(), node);
  auto snapshot = std::make_shared<const Snapshot>(1, all());
  SeenNodes seen;
  std::vector<std::uint64_t> kept;  // the generation, as the value of a node
  int told = 0;
  for (int round = 0; round < 2000; ++round) {
    if (random() % 20 == 0) {  // nodes come and go
      for (int i = 0; i < 3; ++i) {
        const std::string which = name();
        if (cluster.erase(which) == 0) cluster.emplace(which, MakeNodeInfo(which));
      }
      snapshot = std::make_shared<const Snapshot>(2, all());
    } else {
      NodeInfos newer;
      for (auto& [key, node] : cluster) {
        if (random() % 100 == 0) newer.push_back(node = MakeNodeInfo(key));
      }
      snapshot = std::make_shared<const Snapshot>(2, *snapshot, newer);
    }
    if (random() % 3 == 0) continue;  // not seen
    const auto& nodes = snapshot->nodes();
    kept.resize(nodes.size());
    seen.Update(nodes, [&](std::size_t place, const NodeInfo& node) {
      ++told;
      EXPECT_EQ(nodes[place].get(), &node);
      EXPECT_NE(kept[place], node.generation());
      kept[place] = node.generation();
    });
    for (std::size_t i = 0; i < nodes.size(); ++i) ASSERT_EQ(kept[i], nodes[i]->generation());
  }
  EXPECT_GT(told, 2000);
}

}  // namespace
}  // namespace leadline

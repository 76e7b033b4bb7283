// The rows are private to the plugins, which need them to be right through every change.
#include "../../../scheduler/plugins/src/topology_rows.h"

#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

class TopologyRowsTest : public WorldFixture {
 protected:
  TopologyRowsTest() {
    AddNode("a", R"("zone":"1")");
    AddNode("c", R"("zone":"2")");
    AddNode("e", "");
  }
  // "zone" of each node as its Domains see it, from the row and from the labels.
  void Check() {
    snapshots_.push_back(std::make_unique<Snapshot>(TakeSnapshot()));
    const auto& nodes = snapshots_.back()->nodes();
    rows_.Update(*snapshots_.back());
    const auto domains = rows_.DomainsOf("zone");
    std::map<std::string, int> seen;
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      ASSERT_EQ(rows_.RowOf(*nodes[row]), row);
      ASSERT_EQ(rows_.RowOf(NodeInfo(*nodes[row])), row);  // a copy
      const StringMap& labels = nodes[row]->node().metadata.labels;
      const int domain = rows_.DomainOf(*domains, *nodes[row]);
      ASSERT_EQ(domain, domains->OfLabels(labels));
      const auto label = labels.find("zone");
      ASSERT_EQ(domain == Domains::kNoKey, label == labels.end());
      if (label == labels.end()) continue;
      ASSERT_LT(domain, static_cast<int>(domains->size()));
      const auto [one, added] = seen.emplace(label->second, domain);
      ASSERT_EQ(one->second, domain) << label->second;
    }
    std::set<int> numbers;
    for (const auto& [value, number] : seen) numbers.insert(number);
    ASSERT_EQ(numbers.size(), seen.size());
    // Backwards: no row is the one expected next.
    for (std::size_t row = nodes.size(); row-- > 0;) ASSERT_EQ(rows_.RowOf(*nodes[row]), row);
  }

  TopologyRows rows_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;
};

TEST_F(TopologyRowsTest, FollowNodesThatComeGoAndChange) {
  Check();
  AddNode("b", R"("zone":"2")");  // all behind it move
  Check();
  nodes_.erase("a");
  Check();
  AddNode("e", R"("zone":"3")");  // relabelled
  Check();
  nodes_.erase("b");  // as many as before, at other rows
  AddNode("z", R"("zone":"1")");
  Check();
  nodes_.clear();
  Check();
  AddNode("x", R"("zone":"")");
  Check();
}

TEST_F(TopologyRowsTest, ANodeOfNoRowIsJudgedByItsLabels) {
  Check();
  const auto domains = rows_.DomainsOf("zone");
  EXPECT_EQ(rows_.RowOf(*MakeNode("{}")), TopologyRows::kNoRow);
  const auto of = [&](const std::string& labels) {
    const auto node = MakeNode(R"({"metadata":{"labels":{)" + labels + "}}}");
    return rows_.DomainOf(*domains, *node);
  };
  EXPECT_EQ(of(""), Domains::kNoKey);
  EXPECT_EQ(of(R"("zone":"9")"), Domains::kUnknown);
  EXPECT_EQ(of(R"("zone":"")"), Domains::kEmpty);
  EXPECT_EQ(of(R"("zone":"1")"), domains->Of(0));
}

TEST_F(TopologyRowsTest, ForgetValuesThatNobodyHas) {
  for (int i = 0; i < 200; ++i) {
    AddNode("a", R"("zone":"v)" + std::to_string(i) + "\"");
    Check();
    ASSERT_LT(rows_.DomainsOf("zone")->size(), 40u);
  }
}

TEST_F(TopologyRowsTest, KeepTheDomainsOfAFewKeys) {
  Check();
  const auto zone = rows_.DomainsOf("zone");
  EXPECT_EQ(rows_.DomainsOf("zone"), zone);
  for (int i = 0; i < 100; ++i) rows_.DomainsOf("key-" + std::to_string(i));
  EXPECT_NE(rows_.DomainsOf("zone"), zone);
  EXPECT_NE(zone->Of(0), zone->Of(1));  // still good for who has it
  Check();
}

}  // namespace
}  // namespace leadline

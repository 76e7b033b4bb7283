#include "leadline/telemetry/node_matcher.h"

#include <gtest/gtest.h>

namespace leadline {
namespace {

NodeIdentity Node(std::string name, std::string hostname, std::vector<std::string> addresses) {
  NodeIdentity node;
  node.name = std::move(name);
  node.hostname = std::move(hostname);
  node.addresses = std::move(addresses);
  return node;
}

const std::vector<NodeIdentity>& Nodes() {
  static const std::vector<NodeIdentity> nodes = {
      Node("worker-0", "worker-0.example.test", {"10.0.0.10", "fd00::10"}),
      Node("worker-1", "worker-1.example.test", {"10.0.0.11", "fd00::11", "192.0.2.1"}),
      Node("worker-2", "", {"10.0.0.12", "192.0.2.1"}), Node("10.0.0.11", "", {})};
  return nodes;
}

std::string Found(std::string_view value) {
  const NodeMatcher matcher(Nodes());
  const NodeMatcher::Answer answer = matcher.Find(value);
  if (answer.match == NodeMatch::kAmbiguous) return "ambiguous";
  return answer.match == NodeMatch::kNone ? "none" : matcher.nodes()[answer.node].name;
}

TEST(NodeMatcherTest, ByNameHostNameAndAddress) {
  for (const char* value : {"10.0.0.10:9100", "10.0.0.10", "worker-0", "worker-0:9100",
                            "worker-0.example.test", "Worker-0.Example.Test:10250",
                            "[fd00::10]:9100", "[fd00::10]", "fd00::10", "[FD00:0:0::0010]:9100"}) {
    EXPECT_EQ(Found(value), "worker-0") << value;
  }
}

TEST(NodeMatcherTest, ANameComesBeforeAnAddress) {
  EXPECT_EQ(Found("10.0.0.11:9100"), "10.0.0.11");
}

TEST(NodeMatcherTest, SharedAddressesAreNotGuessed) {
  EXPECT_EQ(Found("192.0.2.1:9100"), "ambiguous");
}

TEST(NodeMatcherTest, StrangersAreNone) {
  for (const char* value : {"10.0.0.99:9100", "worker-00", "worker-0:port", "", "[", "[fd00::10",
                            ":9100", "worker-1.other.test"}) {
    EXPECT_EQ(Found(value), "none") << value;
  }
}

TEST(NodeMatcherTest, TheFirstLabelThatFindsANodeCounts) {
  const NodeMatcher matcher(Nodes());
  Sample sample;
  sample.labels = {{"instance", "10.244.1.5:8080"}, {"node", "worker-1"}};
  EXPECT_EQ(matcher.Find(sample, {"node", "instance"}).node, 1u);
  EXPECT_EQ(matcher.Find(sample, {"instance", "node"}).node, 1u);
  EXPECT_EQ(matcher.Find(sample, {"instance"}).match, NodeMatch::kNone);
  sample.labels = {{"instance", "10.0.0.12:9100"}, {"node", "192.0.2.1"}};
  EXPECT_EQ(matcher.Find(sample, {"node", "instance"}).node, 2u);
  EXPECT_EQ(matcher.Find(sample, {"node"}).match, NodeMatch::kAmbiguous);
}

}  // namespace
}  // namespace leadline

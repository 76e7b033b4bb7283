#include "leadline/rl/least_allocated.h"

#include <gtest/gtest.h>

namespace leadline {
namespace {

NodeState Node(double cpu, double memory) {
  NodeState node;
  node.allocatable_milli_cpu = 4000;
  node.allocatable_memory = 1000;
  node.requested_milli_cpu = cpu;
  node.requested_memory = memory;
  return node;
}

TEST(LeastAllocatedTest, IsTheMeanFreeShareWithThePodOnTheNode) {
  EXPECT_DOUBLE_EQ(LeastAllocatedScore(Node(0, 0), {}), 100.0);
  EXPECT_DOUBLE_EQ(LeastAllocatedScore(Node(1000, 250), {1000, 0}), (50.0 + 75.0) / 2);
  EXPECT_DOUBLE_EQ(LeastAllocatedScore(Node(4000, 1000), {}), 0.0);
}

TEST(LeastAllocatedTest, AnOvercommittedOrEmptyResourceCountsAsFull) {
  EXPECT_DOUBLE_EQ(LeastAllocatedScore(Node(9000, 500), {}), 25.0);
  NodeState node = Node(0, 500);
  node.allocatable_milli_cpu = 0;
  EXPECT_DOUBLE_EQ(LeastAllocatedScore(node, {}), 25.0);
}

}  // namespace
}  // namespace leadline

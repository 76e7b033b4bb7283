#include "leadline/rl/replay_buffer.h"

#include <gtest/gtest.h>

#include <set>

namespace leadline {
namespace {

Transition Worth(double reward) {
  Transition transition;
  transition.reward = reward;
  return transition;
}

TEST(ReplayBufferTest, TheOldestFallsOut) {
  ReplayBuffer buffer(3);
  for (int i = 0; i < 5; ++i) buffer.Add(Worth(i));
  ASSERT_EQ(buffer.size(), 3u);
  EXPECT_EQ(buffer.capacity(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(buffer.at(i).reward, 2.0 + static_cast<double>(i));
}

TEST(ReplayBufferTest, SamplesAllOfItAndNothingElse) {
  ReplayBuffer buffer(10);
  for (int i = 0; i < 14; ++i) buffer.Add(Worth(i));
  Rng rng(1);
  std::set<double> seen;
  for (const Transition* transition : buffer.Sample(1000, &rng)) seen.insert(transition->reward);
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.begin(), 4.0);
  EXPECT_EQ(*seen.rbegin(), 13.0);
}

TEST(ReplayBufferTest, SamplingIsRepeatable) {
  ReplayBuffer buffer(10);
  for (int i = 0; i < 10; ++i) buffer.Add(Worth(i));
  Rng a(5), b(5);
  EXPECT_EQ(buffer.Sample(32, &a), buffer.Sample(32, &b));
}

TEST(ReplayBufferTest, StartsAnewAfterClear) {
  ReplayBuffer buffer(2);
  for (int i = 0; i < 3; ++i) buffer.Add(Worth(i));
  buffer.Clear();
  EXPECT_EQ(buffer.size(), 0u);
  buffer.Add(Worth(9));
  EXPECT_EQ(buffer.at(0).reward, 9.0);
}

}  // namespace
}  // namespace leadline

#include "leadline/rl/policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace leadline {
namespace {

using Mask = std::vector<std::uint8_t>;

TEST(EpsilonScheduleTest, LosesFivePercentEveryThousandStepsDownToATenth) {
  const EpsilonSchedule epsilon;
  EXPECT_DOUBLE_EQ(epsilon.At(0), 1.0);
  EXPECT_DOUBLE_EQ(epsilon.At(999), 1.0);
  EXPECT_DOUBLE_EQ(epsilon.At(1000), 0.95);
  EXPECT_DOUBLE_EQ(epsilon.At(2500), 0.95 * 0.95);
  EXPECT_GT(epsilon.At(44999), 0.1);
  EXPECT_DOUBLE_EQ(epsilon.At(45000), 0.1);
  EXPECT_DOUBLE_EQ(epsilon.At(std::numeric_limits<std::uint64_t>::max()), 0.1);
}

TEST(EpsilonGreedyTest, WithoutExploringTakesTheBestAllowed) {
  Rng rng(1);
  const std::vector<float> values = {1, 5, 3, 9};
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(ChooseEpsilonGreedy(values, {}, 0, &rng)->action, 3u);
    EXPECT_EQ(ChooseEpsilonGreedy(values, Mask{1, 1, 1, 0}, 0, &rng)->action, 1u);
  }
}

TEST(EpsilonGreedyTest, NothingAllowedGivesNothing) {
  Rng rng(1);
  EXPECT_FALSE(ChooseEpsilonGreedy(std::vector<float>{1, 2}, Mask{0, 0}, 0.5, &rng));
  EXPECT_FALSE(ChooseEpsilonGreedy({}, {}, 0.5, &rng));
}

TEST(EpsilonGreedyTest, NeverLeavesTheMaskEvenWhenExploring) {
  Rng rng(2);
  const std::vector<float> values = {1, 5, 3, 9};
  for (int i = 0; i < 1000; ++i) {
    const auto choice = ChooseEpsilonGreedy(values, Mask{1, 0, 1, 0}, 1.0, &rng);
    EXPECT_TRUE(choice->action == 0 || choice->action == 2);
    EXPECT_TRUE(choice->explored);
  }
}

TEST(EpsilonGreedyTest, WhatIsNotFiniteIsNeverTheBest) {
  Rng rng(3);
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {std::nanf(""), infinity, -4, -infinity};
  for (int i = 0; i < 50; ++i) EXPECT_EQ(ChooseEpsilonGreedy(values, {}, 0, &rng)->action, 2u);
}

TEST(EpsilonGreedyTest, PropensityIsHowOftenAnActionIsTaken) {
  Rng rng(4);
  const std::vector<float> values = {7, 7, 1, 0};
  constexpr int kRounds = 40000;
  std::vector<int> taken(4);
  std::vector<double> claimed(4);
  for (int i = 0; i < kRounds; ++i) {
    const auto choice = ChooseEpsilonGreedy(values, Mask{1, 1, 1, 0}, 0.3, &rng);
    ++taken[choice->action];
    claimed[choice->action] = choice->propensity;
  }
  EXPECT_NEAR(claimed[0] + claimed[1] + claimed[2], 1.0, 1e-9);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(taken[i] / double{kRounds}, claimed[i], 0.02);
}

}  // namespace
}  // namespace leadline

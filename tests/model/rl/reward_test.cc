#include "leadline/rl/reward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace leadline {
namespace {

using testing::HasSubstr;

RewardCalculator Default() { return RewardCalculator::Create({}).value(); }

double Part(const Reward& reward, std::string_view name) {
  for (const auto& [part, value] : reward.parts) {
    if (part == name) return value;
  }
  ADD_FAILURE() << "no part " << name;
  return 0;
}

void ExpectMistake(const RewardConfig& config, const std::string& says) {
  const auto calculator = RewardCalculator::Create(config);
  ASSERT_FALSE(calculator) << says;
  EXPECT_EQ(calculator.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(calculator.error().message(), HasSubstr(says));
}

TEST(RewardTest, PaysEachEventAsPlanned) {
  const auto calculator = Default();
  EXPECT_DOUBLE_EQ(calculator.Of(RewardEvent::kInsufficientResources).total, -2.0);
  EXPECT_DOUBLE_EQ(calculator.Of(RewardEvent::kNetworkUnreachable).total, -1.5);
  EXPECT_DOUBLE_EQ(calculator.Of(RewardEvent::kPodFailed).total, -0.5);
  EXPECT_DOUBLE_EQ(calculator.Of(RewardEvent::kNodeReady).total, 0.3);
  EXPECT_DOUBLE_EQ(calculator.Of(RewardEvent::kPodScheduled).total, 1.0);
}

TEST(RewardTest, ANodeAtTheMeanEarnsTheWholeBonus) {
  const Reward reward = Default().Of(RewardEvent::kPodScheduled, {0.4, 0.6, 0.0, 0.4, 0.6});
  EXPECT_DOUBLE_EQ(reward.total, 1.5);
}

TEST(RewardTest, TheWeightsShareTheBonusBetweenCpuAndMemory) {
  const Reward reward = Default().Of(RewardEvent::kPodScheduled, {0.4, 0.6, 0.0, 0.4, 0.6});
  EXPECT_NEAR(Part(reward, "cpu_balance"), 0.5 * 0.4 / 0.7, 1e-12);
  EXPECT_NEAR(Part(reward, "memory_balance"), 0.5 * 0.3 / 0.7, 1e-12);
}

TEST(RewardTest, TheBonusIsLargerTheCloserToTheMeanOnBothSides) {
  const auto bonus = [](double cpu) {
    return Part(Default().Of(RewardEvent::kPodScheduled, {cpu, {}, {}, 0.5, {}}), "cpu_balance");
  };
  for (double distance = 0.05; distance < 0.5; distance += 0.05) {
    EXPECT_LT(bonus(0.5 + distance), bonus(0.5 + distance - 0.05));
    EXPECT_NEAR(bonus(0.5 - distance), bonus(0.5 + distance), 1e-12);
    EXPECT_GT(bonus(0.5 + distance), 0.0);
  }
}

TEST(RewardTest, WhatIsNotKnownEarnsNothingAndCostsNothing) {
  const Reward reward = Default().Of(RewardEvent::kPodScheduled, {0.4, 0.6, {}, {}, {}});
  EXPECT_DOUBLE_EQ(reward.total, 1.0);
}

TEST(RewardTest, LatencyCostsUpToTheWholePenalty) {
  const auto cost = [](double ms) {
    return Part(Default().Of(RewardEvent::kPodScheduled, {{}, {}, ms, {}, {}}), "latency");
  };
  EXPECT_NEAR(cost(50), -0.4, 1e-12);
  EXPECT_NEAR(cost(100), -0.8, 1e-12);
  EXPECT_NEAR(cost(1e9), -0.8, 1e-12);
}

TEST(RewardTest, OnlyAScheduledPodIsPaidForItsPlace) {
  const Placement good = {0.4, 0.6, 0.0, 0.4, 0.6};
  EXPECT_DOUBLE_EQ(Default().Of(RewardEvent::kPodFailed, good).total, -0.5);
}

TEST(RewardTest, TheTotalIsTheSumOfItsPartsAndFinite) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (double odd : {0.3, -1e300, 1e300, infinity, -infinity, nan}) {
    const Reward reward = Default().Of(RewardEvent::kPodScheduled, {odd, 0.5, odd, 0.5, odd});
    double sum = 0;
    for (const auto& part : reward.parts) sum += part.second;
    EXPECT_DOUBLE_EQ(sum, reward.total);
    EXPECT_GE(reward.total, 1.0 - 0.8);
    EXPECT_LE(reward.total, 1.0 + 0.5);
  }
}

TEST(RewardTest, AtTheScaleFromTheMeanTheBonusIsDownToOneEth) {
  RewardConfig config;
  config.balance_scale = 0.1;
  const auto calculator = RewardCalculator::Create(config).value();
  const Reward far = calculator.Of(RewardEvent::kPodScheduled, {0.6, {}, {}, 0.5, {}});
  EXPECT_NEAR(Part(far, "cpu_balance"), 0.5 * 0.4 / 0.7 / std::exp(1.0), 1e-9);
}

TEST(RewardConfigTest, AllWeightsZeroIsAMistake) {
  RewardConfig config;
  config.cpu_weight = config.mem_weight = config.latency_penalty = 0;
  ExpectMistake(config, "all 0");
}

TEST(RewardConfigTest, AnUnknownEventIsAMistakeNamingTheKnownOnes) {
  RewardConfig config;
  config.events.emplace_back("PodSheduled", 1.0);
  ExpectMistake(config, "\"PodSheduled\"");
  ExpectMistake(config, "PodScheduled, InsufficientResources, NetworkUnreachable");
}

TEST(RewardConfigTest, NumbersOfTheWrongSignOrKindAreMistakes) {
  RewardConfig config;
  config.latency_penalty = 0.8;
  ExpectMistake(config, "latency_penalty");
  config = {};
  config.balance_bonus = std::numeric_limits<double>::infinity();
  ExpectMistake(config, "balance_bonus");
  config = {};
  config.balance_scale = 0;
  ExpectMistake(config, "balance_scale");
  config = {};
  config.events = {{"NodeReady", std::nan("")}};
  ExpectMistake(config, "events.NodeReady");
}

}  // namespace
}  // namespace leadline

#include "leadline/sim/cluster_environment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "leadline/sim/placement_policy.h"

namespace leadline {
namespace {

constexpr double kGi = 0x1p30;
constexpr double kForever = 1e9;

ClusterEnvironment MakeEnvironment() {
  return {MakeEncoder("rich").value(), RewardCalculator::Create({}).value(), {}};
}

ClusterEnvironment Start(Scenario scenario) {
  ClusterEnvironment environment = MakeEnvironment();
  environment.Reset(std::make_shared<const Scenario>(std::move(scenario)));
  return environment;
}

SimPod Pod(double arrival_s, double milli_cpu, double lifetime_s = kForever) {
  return {arrival_s, lifetime_s, milli_cpu, kGi, milli_cpu / 2, kGi / 2, 0.9};
}

// Equal nodes of 4 cores and 16 GiB in one quiet zone.
Scenario Quiet(std::size_t nodes, std::vector<SimPod> arrivals) {
  Scenario scenario;
  scenario.nodes.assign(nodes, SimNode{4000, 16 * kGi, 110, 0, 0.1});
  scenario.zone_ms = {{1.0}};
  scenario.arrivals = std::move(arrivals);
  return scenario;
}

TEST(ClusterEnvironmentTest, OffersFeasibleNodesOnly) {
  auto environment = Start(Quiet(3, {Pod(1, 3000), Pod(2, 3000), Pod(3, 1000)}));
  EXPECT_EQ(environment.candidates().size(), 3u);
  environment.Step(0);
  EXPECT_EQ(environment.candidates().size(), 2u);
  environment.Step(0);
  EXPECT_EQ(environment.candidates().size(), 3u);  // 1,000 m fit beside 3,000 m
}

TEST(ClusterEnvironmentTest, APodWithoutRoomWaitsForOneToEnd) {
  auto environment = Start(Quiet(1, {Pod(1, 3000, 50), Pod(2, 3000)}));
  environment.Step(0);
  ASSERT_FALSE(environment.over());  // it has come to the second Pod, after the first has ended
  EXPECT_EQ(environment.candidates().size(), 1u);
  EXPECT_EQ(environment.candidates()[0].requested_milli_cpu, 0);
}

TEST(ClusterEnvironmentTest, APodThatNeverFitsIsGivenUp) {
  auto environment = Start(Quiet(1, {Pod(1, 3000), Pod(2, 3000)}));
  const StepResult result = environment.Step(0);
  EXPECT_TRUE(environment.over());
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(result.done);  // cut, not finished: the cluster would go on
  EXPECT_EQ(environment.counts().arrived, 2u);
  EXPECT_EQ(environment.counts().placed, 1u);
}

TEST(ClusterEnvironmentTest, RejectingIsAllowedThreeTimesAPod) {
  auto environment = Start(Quiet(2, {Pod(1, 1000)}));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(environment.CanReject());
    EXPECT_EQ(environment.Step(2).reward, 0.0);
    EXPECT_EQ(environment.rejections(), i + 1);
  }
  EXPECT_FALSE(environment.CanReject());
  EXPECT_GT(environment.Step(0).reward, 1.0);
}

TEST(ClusterEnvironmentTest, APlacedPodCountsByItsRequestUntilItsUseIsSeen) {
  auto environment = Start(Quiet(1, {Pod(1, 2000), Pod(2, 100), Pod(100, 100)}));
  environment.Step(0);
  EXPECT_NEAR(environment.candidates()[0].cpu_ratio.value(), 0.5, 1e-9);  // asked for
  environment.Step(0);
  // Over a minute later the measurements show what it uses: half of that.
  EXPECT_NEAR(environment.candidates()[0].cpu_ratio.value(), 0.25 + 0.0125, 1e-9);
}

TEST(ClusterEnvironmentTest, AnOverrunOfMemoryFailsAPod) {
  std::vector<SimPod> pods = {Pod(1, 100), Pod(2, 100)};
  for (SimPod& pod : pods) {
    pod.memory = 7 * kGi;
    pod.used_memory = 9 * kGi;
  }
  auto environment = Start(Quiet(1, pods));
  const double first = environment.Step(0).reward;
  const double second = environment.Step(0).reward;
  EXPECT_EQ(environment.counts().failed, 1u);
  EXPECT_LT(second, first - 1.5);  // -2.0 of the failure came in
}

TEST(ClusterEnvironmentTest, PodsFailOnAnUnreachableNode) {
  Scenario scenario = Quiet(2, {Pod(1, 100)});
  scenario.zone_ms = {{2000.0}};
  scenario.arrivals[0].luck = 0.1;
  auto environment = Start(scenario);
  EXPECT_DOUBLE_EQ(environment.Step(0).reward, -1.5);
  EXPECT_EQ(environment.counts().failed, 1u);
}

TEST(ClusterEnvironmentTest, WhatIsNotMeasuredIsMissing) {
  Scenario scenario = Quiet(2, {Pod(1, 100)});
  scenario.nodes[0].usage_known = false;
  scenario.nodes[1].latency_known = false;
  const auto environment = Start(scenario);
  EXPECT_FALSE(environment.candidates()[0].cpu_ratio);
  EXPECT_TRUE(environment.candidates()[0].latency_ms);
  EXPECT_TRUE(environment.candidates()[1].memory_ratio);
  EXPECT_FALSE(environment.candidates()[1].latency_ms);
}

TEST(ClusterEnvironmentTest, ACopyGoesOnWithTheSameFuture) {
  auto environment = MakeEnvironment();
  environment.Reset(7);
  for (int i = 0; i < 20 && !environment.over(); ++i) environment.Step(0);
  ClusterEnvironment copy = environment;
  while (!environment.over()) {
    ASSERT_EQ(environment.Observe().rows, copy.Observe().rows);
    ASSERT_EQ(environment.Step(0).reward, copy.Step(0).reward);
  }
  EXPECT_TRUE(copy.over());
}

TEST(ClusterEnvironmentTest, TheSameSeedIsTheSameEpisodeAndTheBooksHold) {
  const auto play = [](std::uint64_t seed) {
    auto environment = MakeEnvironment();
    environment.Reset(seed);
    Rng rng(1);
    Play(*MakeRandomPolicy(), environment, &rng);
    return environment.counts();
  };
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const EpisodeCounts counts = play(seed), again = play(seed);
    EXPECT_EQ(counts.reward, again.reward);
    EXPECT_TRUE(std::isfinite(counts.reward));
    EXPECT_LE(counts.placed, counts.arrived);
    EXPECT_GE(counts.decisions, counts.placed);
  }
}

}  // namespace
}  // namespace leadline

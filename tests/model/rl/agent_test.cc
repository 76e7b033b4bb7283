#include "leadline/rl/agent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leadline/nn/bytes.h"

namespace leadline {
namespace {

const QNetworkShape kShape = {2, 3, {8}, {4}};

Observation Seen(std::vector<float> rows, float context = 0.5f) {
  return {rows.size() / 2, 2, std::move(rows), {context, 0.25f, 0.75f}};
}

Transition Step(double reward, bool done, float next_context = 0.5f) {
  Transition transition;
  transition.row = {0.1f, 0.2f};
  transition.context = {0.5f, 0.25f, 0.75f};
  transition.reward = reward;
  transition.next_rows = {0.3f, 0.4f, 0.9f, 0.1f};
  transition.next_context = {next_context, 0.25f, 0.75f};
  transition.done = done;
  return transition;
}

// A network whose values are V = `value`, A = the row's first feature, R = `reject`.
std::vector<float> Fixed(float value, float reject) {
  // Shape {2, 3, {}, {}}: A has 2 weights and a bias, V and R have 3 and a bias each.
  return {1, 0, 0, 0, 0, 0, value, 0, 0, 0, reject};
}
Agent FixedAgent(AgentOptions options, float value, float reject) {
  Agent agent({2, 3, {}, {}}, options, 1);
  EXPECT_TRUE(agent.SetParameters(Fixed(value, reject)));
  return agent;
}

bool AllFinite(const Agent& agent) {
  const auto parameters = agent.network().Parameters();
  return std::all_of(parameters.begin(), parameters.end(),
                     [](float p) { return std::isfinite(p); });
}

TEST(AgentOptionsTest, DefaultsAreThePlannedOnes) {
  const AgentOptions options;
  EXPECT_EQ(options.learning_rate, 0.001);
  EXPECT_EQ(options.gamma, 0.99);
  EXPECT_EQ(options.replay_capacity, 10000u);
  EXPECT_EQ(options.batch_size, 32u);
  EXPECT_EQ(options.target_copy_updates, 100u);
  EXPECT_FALSE(options.double_q);
  EXPECT_FALSE(options.centre_rewards);
}

TEST(AgentTargetTest, ACutEpisodeKeepsTheWorthOfItsLastStateAFinishedOneDoesNot) {
  AgentOptions options;
  options.gamma = 0.9;
  // The best of the next state is worth 9.1 + 0.9 = 10.
  Agent agent = FixedAgent(options, 9.1f, 0.0f);
  EXPECT_NEAR(agent.Target(Step(1, false)), 1 + 0.9 * 10, 1e-5);
  EXPECT_NEAR(agent.Target(Step(1, true)), 1, 1e-9);
}

TEST(AgentTargetTest, RejectingCountsOnlyWhereItIsAllowed) {
  AgentOptions options;
  options.gamma = 0.5;
  Agent agent = FixedAgent(options, 1.0f, 7.0f);
  Transition step = Step(0, false);
  EXPECT_NEAR(agent.Target(step), 0.5 * 8.0, 1e-5);
  step.next_can_reject = false;
  EXPECT_NEAR(agent.Target(step), 0.5 * 1.9, 1e-5);
  step.next_rows.clear();
  EXPECT_NEAR(agent.Target(step), 0.0, 1e-9);
}

TEST(AgentTargetTest, CentringTakesTheMeanRewardAway) {
  AgentOptions options;
  options.centre_rewards = true;
  Agent agent = FixedAgent(options, 0.0f, 0.0f);
  ASSERT_TRUE(agent.Remember(Step(4, true)));
  EXPECT_NEAR(agent.Target(Step(4, true)), 0.0, 1e-9);
  EXPECT_NEAR(agent.Target(Step(6, true)), 2.0, 1e-9);
}

TEST(AgentTest, TheTargetIsCopiedEveryHundredUpdates) {
  Agent agent(kShape, {}, 3);
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(agent.Remember(Step(5, true)));
  const double before = agent.Target(Step(0, false));
  for (int i = 0; i < 99; ++i) ASSERT_EQ(agent.Update(), true);
  EXPECT_EQ(agent.Target(Step(0, false)), before);
  ASSERT_EQ(agent.Update(), true);
  EXPECT_NE(agent.Target(Step(0, false)), before);
}

TEST(AgentTest, DoesNotLearnBeforeItHasSeenEnough) {
  Agent agent(kShape, {}, 3);
  for (int i = 0; i < 31; ++i) agent.Remember(Step(1, true));
  EXPECT_EQ(agent.Update(), std::nullopt);
  agent.Remember(Step(1, true));
  EXPECT_EQ(agent.Update(), true);
}

TEST(AgentTest, MovesTheChosenActionToItsTarget) {
  AgentOptions options;
  options.learning_rate = 0.01;
  for (TdLoss loss : {TdLoss::kSquared, TdLoss::kHuber}) {
    for (bool rejected : {false, true}) {
      options.loss = loss;
      Agent agent(kShape, options, 4);
      Transition step = Step(3, true);
      if (rejected) step.row.clear();
      for (int i = 0; i < 32; ++i) ASSERT_TRUE(agent.Remember(step));
      for (int i = 0; i < 600; ++i) ASSERT_EQ(agent.Update(), true);
      QNetwork::Workspace workspace;
      std::vector<float> values;
      agent.network().Forward(step.row, step.context, &workspace, &values);
      EXPECT_NEAR(values[0], 3.0, 0.1) << "rejected: " << rejected;
    }
  }
}

TEST(AgentTest, ExploresByTheScheduleAndCountsItsSteps) {
  AgentOptions options;
  options.epsilon = {1.0, 0.5, 10, 0.1};
  Agent agent(kShape, options, 5);
  for (int i = 0; i < 20; ++i) agent.Act(Seen({0.1f, 0.2f, 0.3f, 0.4f}), true);
  EXPECT_EQ(agent.statistics().steps, 20u);
  EXPECT_DOUBLE_EQ(agent.statistics().epsilon, 0.25);
}

TEST(AgentTest, NeverRejectsWhereThatIsNotAllowed) {
  Agent agent = FixedAgent({}, 0.0f, 100.0f);
  for (int i = 0; i < 300; ++i) EXPECT_LT(agent.Act(Seen({0.1f, 0, 0.2f, 0}), false).action, 2u);
  EXPECT_EQ(agent.ActGreedily(Seen({0.1f, 0, 0.2f, 0}), false), 1u);
  EXPECT_EQ(agent.ActGreedily(Seen({0.1f, 0, 0.2f, 0}), true), 2u);
}

TEST(AgentTest, KeepsASampleOfManyCandidates) {
  AgentOptions options;
  options.candidates_kept = 4;
  Agent agent(kShape, options, 6);
  std::vector<float> rows(200);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i) / 200;
  const Transition kept = agent.MakeTransition(Seen({0.7f, 0.8f}), 0, 1, Seen(rows), true, false);
  EXPECT_EQ(kept.row, (std::vector<float>{0.7f, 0.8f}));
  EXPECT_EQ(kept.next_rows.size(), 8u);
  std::vector<float> firsts;
  for (std::size_t i = 0; i < 8; i += 2) {
    EXPECT_FLOAT_EQ(kept.next_rows[i + 1], kept.next_rows[i] + 1.0f / 200);
    firsts.push_back(kept.next_rows[i]);
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
  const Transition waited = agent.MakeTransition(Seen(rows), 100, 1, Seen(rows), true, false);
  EXPECT_TRUE(waited.row.empty());
}

TEST(AgentRobustnessTest, RefusesTransitionsThatAreNotFiniteOrDoNotFit) {
  Agent agent(kShape, {}, 7);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Transition bad = Step(std::numeric_limits<double>::infinity(), false);
  EXPECT_FALSE(agent.Remember(bad));
  for (auto* values : {&bad.row, &bad.context, &bad.next_rows, &bad.next_context}) {
    bad.reward = 1;
    const float was = values->back();
    values->back() = nan;
    EXPECT_FALSE(agent.Remember(bad));
    values->back() = was;
    values->push_back(0.5f);
    EXPECT_FALSE(agent.Remember(bad));
    values->pop_back();
  }
  EXPECT_TRUE(agent.Remember(bad));
  EXPECT_EQ(agent.statistics().refused_transitions, 9u);
  EXPECT_EQ(agent.statistics().replay_size, 1u);
}

TEST(AgentRobustnessTest, AnUpdateThatWouldNotBeFiniteIsThrownAwayAndCounted) {
  AgentOptions options;
  options.learning_rate = 10;
  options.optimizer = OptimizerKind::kSgd;
  Agent agent(kShape, options, 8);
  Transition huge = Step(1e12, false);
  huge.row = {1e30f, -1e30f};
  for (int i = 0; i < 32; ++i) agent.Remember(huge);
  const auto before = agent.network().Parameters();
  EXPECT_EQ(agent.Update(), false);
  EXPECT_EQ(agent.network().Parameters(), before);
  EXPECT_EQ(agent.statistics().refused_updates, 1u);
  EXPECT_EQ(agent.statistics().updates, 0u);
}

TEST(AgentRobustnessTest, OddInputNeverMakesWeightsThatAreNotFinite) {
  AgentOptions options;
  options.learning_rate = 10;
  Agent agent(kShape, options, 9);
  const float odd[] = {3e38f, -3e38f, 0.0f, 1e-38f, std::numeric_limits<float>::infinity()};
  const double rewards[] = {1e12, -1e300, std::nan(""), 0.0};
  Rng rng(10);
  for (int i = 0; i < 400; ++i) {
    Transition step = Step(rewards[rng.Below(4)], rng.Below(2) == 0);
    step.row = {odd[rng.Below(5)], odd[rng.Below(5)]};
    agent.Remember(step);
    agent.Update();
    ASSERT_TRUE(AllFinite(agent));
  }
  EXPECT_GT(agent.statistics().refused_transitions, 0u);
  EXPECT_GT(agent.statistics().refused_updates, 0u);
}

// An agent in the middle of its work.
Agent Worn() {
  AgentOptions options;
  options.epsilon = {1.0, 0.5, 10, 0.1};
  options.centre_rewards = true;
  Agent agent(kShape, options, 11);
  Rng rng(12);
  for (int i = 0; i < 150; ++i) {
    agent.Act(Seen({0.1f, 0.2f, 0.3f, 0.4f}), true);
    agent.Remember(Step(rng.Normal(), rng.Below(2) == 0));
    agent.Update();
  }
  return agent;
}

TEST(AgentRestartTest, GoesOnAsIfItHadNotStopped) {
  Agent through = Worn();
  AgentOptions options;
  options.epsilon = {1.0, 0.5, 10, 0.1};
  options.centre_rewards = true;
  Agent resumed(kShape, options, 999);
  const auto restored = resumed.Restore(through.Save());
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(resumed.statistics().epsilon, through.statistics().epsilon);
  EXPECT_EQ(resumed.statistics().steps, 150u);
  EXPECT_EQ(resumed.statistics().replay_size, 150u);
  for (int i = 0; i < 100; ++i) {
    const Observation seen = Seen({0.1f * static_cast<float>(i % 7), 0.2f, 0.5f, 0.4f});
    ASSERT_EQ(through.Act(seen, true).action, resumed.Act(seen, true).action) << i;
    ASSERT_EQ(through.Update(), resumed.Update());
  }
  EXPECT_EQ(through.network().Parameters(), resumed.network().Parameters());
  EXPECT_EQ(through.Save(), resumed.Save());
}

TEST(AgentRestartTest, WhatIsDamagedOrCutIsRefusedAndTheAgentStays) {
  const std::string whole = Worn().Save();
  Agent agent(kShape, {}, 1);
  const std::string before = agent.Save();
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    const auto restored = agent.Restore(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(restored) << size;
    EXPECT_EQ(restored.error().code(), ErrorCode::kDataLoss);
  }
  for (std::size_t i = 0; i < whole.size(); i += 89) {
    std::string flipped = whole;
    flipped[i] ^= 0x10;
    ASSERT_FALSE(agent.Restore(flipped)) << i;
  }
  EXPECT_EQ(agent.Save(), before);
}

// The saved bytes with the 8 or 4 at `offset` replaced, under a checksum that is right.
std::string Replaced(const std::string& saved, std::size_t offset, std::string_view by) {
  std::string bytes = saved.substr(0, saved.size() - 4);
  bytes.replace(offset, by.size(), by);
  ByteWriter out;
  out.Raw(bytes);
  out.U32(Crc32(bytes));
  return out.bytes();
}

TEST(AgentRestartTest, NumbersThatWouldStopLearningForEverAreRefused) {
  const std::string saved = Worn().Save();
  const std::size_t vector = 4 + 4 * kShape.ParameterCount();
  const std::size_t first = 8 + 2 * vector + 8 + 4, second = first + vector;
  const std::size_t loss = 8 + 2 * vector + 8 + 2 * vector + 32 + 4 * 8, mean = loss + 8 + 1;
  ByteWriter nan_double, nan_float, negative;
  nan_double.F64(std::nan(""));
  nan_float.U32(0x7fc00000);
  negative.U32(0xbf800000);  // -1: no mean of squares
  const std::pair<std::size_t, std::string> mistakes[] = {{first, nan_float.bytes()},
                                                          {second, nan_float.bytes()},
                                                          {second, negative.bytes()},
                                                          {loss, nan_double.bytes()},
                                                          {mean, nan_double.bytes()}};
  Agent agent(kShape, {}, 1);
  const std::string before = agent.Save();
  for (const auto& [offset, bytes] : mistakes) {
    EXPECT_FALSE(agent.Restore(Replaced(saved, offset, bytes))) << offset;
  }
  EXPECT_EQ(agent.Save(), before);
  EXPECT_TRUE(agent.Restore(Replaced(saved, mean, std::string(8, '\0'))));
}

TEST(AgentRestartTest, AnotherShapeIsRefusedByName) {
  Agent other({4, 3, {8}, {4}}, {}, 1);
  const auto restored = other.Restore(Worn().Save());
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(restored.error().message().find(other.network().shape().ToString()), std::string::npos);
}

}  // namespace
}  // namespace leadline

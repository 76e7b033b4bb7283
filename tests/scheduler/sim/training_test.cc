#include "leadline/sim/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leadline/sim/evaluation.h"

namespace leadline {
namespace {

using testing::HasSubstr;

TrainOptions Short() {
  TrainOptions options;
  options.scenarios.max_nodes = 12;
  options.rollouts.states = 500;
  options.rollouts.rounds = 1;
  options.rollouts.horizon = 10;
  options.rollouts.updates = 1000;
  options.dqn_steps = 400;
  return options;
}

TEST(TrainingTest, TheSameSeedGivesTheSameWeights) {
  for (const char* method : {"rollouts", "dqn"}) {
    TrainOptions options = Short();
    options.method = method;
    options.rollouts.states = 60;
    options.rollouts.updates = 60;
    const auto once = Train(options).value(), again = Train(options).value();
    options.seed = 2;
    const auto other = Train(options).value();
    EXPECT_EQ(FormatWeights(once), FormatWeights(again)) << method;
    EXPECT_NE(once.network.Parameters(), other.network.Parameters()) << method;
    EXPECT_EQ(once.info.method, method);
    EXPECT_GT(once.info.steps, 0u);
  }
}

TEST(TrainingTest, AFewSecondsAreEnoughToBeatRandomChoice) {
  TrainOptions options = Short();
  std::vector<std::unique_ptr<PlacementPolicy>> policies;
  policies.push_back(MakeRandomPolicy());
  policies.push_back(
      MakeNetworkPolicy(std::make_shared<const WeightsFile>(Train(options).value()), "trained")
          .value());
  EvaluationOptions evaluation;
  evaluation.scenarios = options.scenarios;
  evaluation.episodes = 20;
  const auto results = Evaluate(policies, evaluation).value();
  const Estimate gain = PairedDifference(results[1], results[0]);
  EXPECT_GT(gain.mean - gain.half_width, 0) << FormatResults(results);
}

TEST(TrainingTest, MistakesAreSaid) {
  TrainOptions options = Short();
  options.encoder = "four";
  EXPECT_THAT(Train(options).error().message(), HasSubstr("\"four\""));
  options = Short();
  options.method = "magic";
  EXPECT_THAT(Train(options).error().message(), HasSubstr("rollouts and dqn"));
  options = Short();
  options.scenarios.min_nodes = 20;
  EXPECT_FALSE(Train(options));
  options = Short();
  options.reward.cpu_weight = -1;
  EXPECT_THAT(Train(options).error().message(), HasSubstr("cpu_weight"));
}

TEST(NetworkPolicyTest, RefusesWeightsThatDoNotFitTheirEncoder) {
  WeightsFile weights;
  weights.info.encoder = "rich";
  weights.network = QNetwork(QNetworkShape{3, 9});
  EXPECT_FALSE(MakeNetworkPolicy(std::make_shared<const WeightsFile>(weights), "wrong"));
}

}  // namespace
}  // namespace leadline

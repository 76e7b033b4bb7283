#include "leadline/sim/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using testing::HasSubstr;

TEST(EstimateTest, IsStudentsInterval) {
  const Estimate estimate = EstimateMean({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(estimate.mean, 3.0);
  EXPECT_NEAR(estimate.half_width, 1.963, 0.001);  // 2.776 * 1.5811 / sqrt(5)
}

TEST(EvaluationTest, BaselinesRankAsTheyShould) {
  std::vector<std::unique_ptr<PlacementPolicy>> policies;
  for (const char* name : {"random", "least-allocated", "greedy", "spread"}) {
    policies.push_back(MakeBaseline(name).value());
  }
  EvaluationOptions options;
  options.episodes = 20;
  const auto results = Evaluate(policies, options).value();
  const Estimate least = PairedDifference(results[1], results[0]);
  EXPECT_GT(least.mean - least.half_width, 0);
  const Estimate spread = PairedDifference(results[3], results[1]);
  EXPECT_GT(spread.mean - spread.half_width, 0);
  EXPECT_THAT(FormatResults(results), HasSubstr("least-allocated"));
}

TEST(EvaluationTest, ComparesOnTheSameEpisodes) {
  std::vector<std::unique_ptr<PlacementPolicy>> twice;
  twice.push_back(MakeLeastAllocatedPolicy());
  twice.push_back(MakeLeastAllocatedPolicy());
  EvaluationOptions options;
  options.seeds = {1, 2};
  options.episodes = 3;
  const auto results = Evaluate(twice, options).value();
  EXPECT_EQ(results[0].rewards, results[1].rewards);
}

TEST(EvaluationTest, MistakesAreSaid) {
  EXPECT_THAT(MakeBaseline("best").error().message(), HasSubstr("\"best\""));
  EvaluationOptions options;
  options.episodes = 0;
  EXPECT_FALSE(Evaluate({}, options));
}

}  // namespace
}  // namespace leadline

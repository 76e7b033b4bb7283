#include "leadline/nn/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace leadline {
namespace {

TEST(OptimizerTest, SgdMovesAgainstTheGradient) {
  Optimizer sgd(OptimizerKind::kSgd, 0.1);
  std::vector<float> parameters = {1.0f, 2.0f};
  ASSERT_TRUE(sgd.Step(std::vector<float>{10.0f, -10.0f}, &parameters));
  EXPECT_FLOAT_EQ(parameters[0], 0.0f);
  EXPECT_FLOAT_EQ(parameters[1], 3.0f);
  EXPECT_EQ(sgd.state().steps, 1u);
}

TEST(OptimizerTest, AdamsFirstStepIsTheLearningRateWhateverTheGradient) {
  for (float slope : {1e-3f, 1.0f, 1e3f}) {
    Optimizer adam(OptimizerKind::kAdam, 0.01);
    std::vector<float> parameters = {1.0f};
    ASSERT_TRUE(adam.Step(std::vector<float>{slope}, &parameters));
    EXPECT_NEAR(parameters[0], 0.99f, 1e-5);
  }
}

TEST(OptimizerTest, AdamFindsTheBottomOfABowl) {
  Optimizer adam(OptimizerKind::kAdam, 0.05);
  std::vector<float> parameters = {5.0f, -3.0f};
  for (int i = 0; i < 2000; ++i) {
    const std::vector<float> gradient = {2 * (parameters[0] - 1), 20 * (parameters[1] - 2)};
    ASSERT_TRUE(adam.Step(gradient, &parameters));
  }
  EXPECT_NEAR(parameters[0], 1.0, 0.01);
  EXPECT_NEAR(parameters[1], 2.0, 0.01);
}

TEST(OptimizerTest, RefusesWhatWouldNotBeFiniteAndChangesNothing) {
  for (OptimizerKind kind : {OptimizerKind::kSgd, OptimizerKind::kAdam}) {
    Optimizer optimizer(kind, 0.1);
    std::vector<float> parameters = {1.0f, 2.0f};
    ASSERT_TRUE(optimizer.Step(std::vector<float>{1.0f, 1.0f}, &parameters));
    const auto before = parameters;
    const auto state = optimizer.state();
    for (float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      EXPECT_FALSE(optimizer.Step(std::vector<float>{1.0f, bad}, &parameters));
      EXPECT_EQ(parameters, before);
      EXPECT_EQ(optimizer.state().steps, state.steps);
      EXPECT_EQ(optimizer.state().first, state.first);
      EXPECT_EQ(optimizer.state().second, state.second);
    }
  }
}

TEST(OptimizerTest, RefusesAGradientOfAnotherSize) {
  Optimizer adam(OptimizerKind::kAdam, 0.1);
  std::vector<float> parameters = {1.0f};
  EXPECT_FALSE(adam.Step(std::vector<float>{1.0f, 1.0f}, &parameters));
}

TEST(OptimizerTest, GoesOnFromASavedStateAsIfItHadNotStopped) {
  Optimizer first(OptimizerKind::kAdam, 0.01);
  std::vector<float> through = {1.0f};
  for (float g : {1.0f, -2.0f, 0.5f}) first.Step(std::vector<float>{g}, &through);
  Optimizer second(OptimizerKind::kAdam, 0.01);
  second.set_state(first.state());
  std::vector<float> resumed = through;
  for (float g : {3.0f, 4.0f}) {
    first.Step(std::vector<float>{g}, &through);
    second.Step(std::vector<float>{g}, &resumed);
  }
  EXPECT_EQ(through, resumed);
}

TEST(ClipGradientTest, ShortensOnlyWhatIsTooLong) {
  std::vector<float> gradient = {3.0f, 4.0f};
  EXPECT_DOUBLE_EQ(ClipGradient(10, &gradient), 5.0);
  EXPECT_EQ(gradient, (std::vector<float>{3.0f, 4.0f}));
  EXPECT_DOUBLE_EQ(ClipGradient(1, &gradient), 5.0);
  EXPECT_FLOAT_EQ(gradient[0], 0.6f);
  EXPECT_FLOAT_EQ(gradient[1], 0.8f);
}

TEST(ClipGradientTest, LeavesWhatIsNotFiniteForTheOptimizerToRefuse) {
  std::vector<float> gradient = {std::numeric_limits<float>::infinity(), 1.0f};
  EXPECT_FALSE(std::isfinite(ClipGradient(1, &gradient)));
  EXPECT_FALSE(std::isfinite(gradient[0]));
}

}  // namespace
}  // namespace leadline

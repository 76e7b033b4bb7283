#include "leadline/nn/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace leadline {
namespace {

Matrix RandomRows(Eigen::Index rows, Eigen::Index columns, Rng& rng) {
  Matrix matrix(rows, columns);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = static_cast<float>(rng.Normal());
  }
  return matrix;
}

// sum(pull * output), in double so that the differences below are not all rounding.
double Weighted(const Mlp& net, const Matrix& rows, const Matrix& pull) {
  Mlp::Workspace workspace;
  net.Forward(rows, &workspace);
  return workspace.output.cast<double>().cwiseProduct(pull.cast<double>()).sum();
}

TEST(MlpTest, ComputesAKnownResult) {
  Mlp net({2, 2, 1});
  // Hidden: relu(x0 - x1), relu(x1 - x0 + 1); output: 2 h0 + 3 h1 - 1.
  net.parameters() = {1, -1, -1, 1, 0, 1, 2, 3, -1};
  Matrix rows(2, 2);
  rows << 5, 2, 0, 4;
  Mlp::Workspace workspace;
  net.Forward(rows, &workspace);
  ASSERT_EQ(workspace.output.rows(), 2);
  EXPECT_FLOAT_EQ(workspace.output(0, 0), 2 * 3 + 3 * 0 - 1);
  EXPECT_FLOAT_EQ(workspace.output(1, 0), 2 * 0 + 3 * 5 - 1);
}

TEST(MlpTest, GradientAgreesWithFiniteDifferences) {
  Rng rng(3);
  Mlp net({4, 8, 6, 2}, rng);
  // Biases off zero, so that their gradients are tested away from the start too.
  for (float& p : net.parameters()) p += static_cast<float>(0.1 * rng.Normal());
  const Matrix rows = RandomRows(5, 4, rng), pull = RandomRows(5, 2, rng);
  Mlp::Workspace workspace;
  net.Forward(rows, &workspace);
  std::vector<float> gradient(net.parameter_count(), 0.0f);
  net.Backward(workspace, pull, gradient.data());
  constexpr float kStep = 1e-3f;
  int close = 0;
  for (std::size_t i = 0; i < net.parameter_count(); ++i) {
    Mlp up = net, down = net;
    up.parameters()[i] += kStep;
    down.parameters()[i] -= kStep;
    const double slope = (Weighted(up, rows, pull) - Weighted(down, rows, pull)) / (2.0 * kStep);
    close += std::abs(slope - gradient[i]) < 0.02 * (1.0 + std::abs(slope));
  }
  // A step across a kink of ReLU may spoil a difference now and then.
  EXPECT_GE(close, static_cast<int>(net.parameter_count()) - 3);
}

TEST(MlpTest, BackwardAddsToWhatIsThere) {
  Rng rng(4);
  const Mlp net({3, 5, 1}, rng);
  const Matrix rows = RandomRows(2, 3, rng), pull = Matrix::Ones(2, 1);
  Mlp::Workspace workspace;
  net.Forward(rows, &workspace);
  std::vector<float> once(net.parameter_count(), 0.0f);
  net.Backward(workspace, pull, once.data());
  std::vector<float> twice = once;
  net.Backward(workspace, pull, twice.data());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_FLOAT_EQ(twice[i], 2 * once[i]);
}

TEST(MlpTest, HeInitialisationHasTheRightSpreadAndZeroBiases) {
  Rng rng(5);
  const Mlp net({200, 100, 1}, rng);
  double squares = 0;
  for (std::size_t i = 0; i < 20000; ++i) squares += std::pow(net.parameters()[i], 2.0);
  EXPECT_NEAR(squares / 20000, 2.0 / 200, 0.001);
  for (std::size_t i = 20000; i < 20100; ++i) EXPECT_EQ(net.parameters()[i], 0.0f);
}

TEST(MlpTest, TheSameSeedGivesTheSameWeights) {
  Rng a(6), b(6), c(7);
  EXPECT_EQ(Mlp({3, 4, 1}, a).parameters(), Mlp({3, 4, 1}, b).parameters());
  Rng d(6);
  EXPECT_NE(Mlp({3, 4, 1}, c).parameters(), Mlp({3, 4, 1}, d).parameters());
}

TEST(MlpTest, CountsItsParameters) {
  EXPECT_EQ(Mlp::ParameterCount({16, 64, 64, 1}), 5313u);
  EXPECT_EQ(Mlp({16, 64, 64, 1}).parameter_count(), 5313u);
}

}  // namespace
}  // namespace leadline

#include "leadline/nn/q_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

namespace leadline {
namespace {

const QNetworkShape kShape = {3, 5, {8, 8}, {6}};

std::vector<float> Random(std::size_t count, Rng& rng) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.Normal());
  return values;
}

std::vector<float> Forward(const QNetwork& net, const std::vector<float>& rows,
                           const std::vector<float>& context) {
  QNetwork::Workspace workspace;
  std::vector<float> values;
  net.Forward(rows, context, &workspace, &values);
  return values;
}

TEST(QNetworkTest, GivesOneValueANodeAndOneOfRejecting) {
  Rng rng(1);
  const QNetwork net(kShape, rng);
  for (std::size_t n : {0u, 1u, 63u, 64u, 65u, 200u}) {
    EXPECT_EQ(Forward(net, Random(n * 3, rng), Random(5, rng)).size(), n + 1);
  }
}

TEST(QNetworkTest, AValueDependsOnItsOwnRowAndTheContextOnly) {
  Rng rng(2);
  const QNetwork net(kShape, rng);
  const auto rows = Random(150 * 3, rng), context = Random(5, rng);
  const auto values = Forward(net, rows, context);
  for (std::size_t i : {0u, 63u, 64u, 149u}) {
    const std::vector<float> row(rows.begin() + 3 * i, rows.begin() + 3 * i + 3);
    EXPECT_NEAR(Forward(net, row, context)[0], values[i], 1e-5) << i;
  }
}

TEST(QNetworkTest, TheContextMovesAllNodesTogether) {
  Rng rng(3);
  const QNetwork net(kShape, rng);
  const auto rows = Random(4 * 3, rng);
  const auto a = Forward(net, rows, Random(5, rng)), b = Forward(net, rows, Random(5, rng));
  EXPECT_GT(std::abs(a[0] - b[0]), 1e-4);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_NEAR(a[i] - b[i], a[0] - b[0], 1e-5);
  EXPECT_GT(std::abs((a[4] - b[4]) - (a[0] - b[0])), 1e-4);
}

TEST(QNetworkTest, GradientAgreesWithFiniteDifferences) {
  Rng rng(4);
  QNetwork net(kShape, rng);
  const auto rows = Random(6 * 3, rng), context = Random(5, rng), weights = Random(7, rng);
  QNetwork::Workspace workspace;
  std::vector<float> gradient;
  const float all = std::accumulate(weights.begin(), weights.end(), 0.0f);
  net.AccumulateGradient(rows, context, weights, all, &workspace, &gradient);
  const auto at = net.Parameters();
  ASSERT_EQ(gradient.size(), at.size());
  const auto weighted = [&](std::size_t i, float step) {
    auto moved = at;
    moved[i] += step;
    EXPECT_TRUE(net.SetParameters(moved));
    const auto values = Forward(net, rows, context);
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) sum += double{weights[k]} * values[k];
    return sum;
  };
  std::size_t close = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double slope = (weighted(i, 1e-3f) - weighted(i, -1e-3f)) / 2e-3;
    close += std::abs(slope - gradient[i]) < 0.02 * (1.0 + std::abs(slope));
  }
  // A step across a kink of ReLU may spoil a difference now and then.
  EXPECT_GE(close, at.size() - 3);
}

TEST(QNetworkTest, SetParametersRefusesWhatDoesNotFit) {
  Rng rng(5);
  QNetwork net(kShape, rng);
  const auto before = net.Parameters();
  auto bad = before;
  bad.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(net.SetParameters(bad));
  bad.pop_back();
  EXPECT_FALSE(net.SetParameters(bad));
  EXPECT_EQ(net.Parameters(), before);
}

TEST(QNetworkTest, ThreadsMayShareIt) {
  Rng rng(6);
  const QNetwork net(kShape, rng);
  const auto rows = Random(100 * 3, rng), context = Random(5, rng);
  const auto expected = Forward(net, rows, context);
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (auto& values : got) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) values = Forward(net, rows, context);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& values : got) EXPECT_EQ(values, expected);
}

TEST(QNetworkShapeTest, SaysItsLayers) {
  EXPECT_EQ((QNetworkShape{16, 35, {64, 64}, {32}}).ToString(), "16-64-64-1, context 35-32-1");
  Rng rng(7);
  EXPECT_EQ(QNetwork(kShape, rng).Parameters().size(), kShape.ParameterCount());
}

}  // namespace
}  // namespace leadline

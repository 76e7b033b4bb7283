#include "leadline/base/rng.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace leadline {
namespace {

TEST(RngTest, SameSeedSameNumbers) {
  Rng a(7), b(7), c(8);
  EXPECT_EQ(a.NextU64(), b.NextU64());
  EXPECT_NE(a.NextU64(), c.NextU64());
}

TEST(RngTest, GoesOnFromItsState) {
  Rng a(7);
  a.Normal();
  Rng b(a.state());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.NextU64(), b.NextU64());
}

TEST(RngTest, BelowStaysBelowAndReachesAll) {
  Rng rng(1);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 7000; ++i) ++seen[rng.Below(7)];
  for (int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(RngTest, NormalAndExponentialHaveTheirMoments) {
  Rng rng(3);
  double sum = 0, squares = 0, exponential = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.Normal();
    sum += x;
    squares += x * x;
    exponential += rng.Exponential();
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.05);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.05);
  EXPECT_NEAR(exponential / kDraws, 1.0, 0.05);
}

}  // namespace
}  // namespace leadline

#include "leadline/base/go_duration.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace leadline {
namespace {

TEST(FormatGoDurationTest, WritesAsGoDoes) {
  const auto text = [](std::int64_t nanos) { return FormatGoDuration(Duration(nanos)); };
  EXPECT_EQ(text(0), "0s");
  EXPECT_EQ(text(7), "7ns");
  EXPECT_EQ(text(1'500), "1.5\u00b5s");
  EXPECT_EQ(text(20'000'000), "20ms");
  EXPECT_EQ(text(1'020'000'000), "1.02s");
  EXPECT_EQ(text(10'000'000'000), "10s");
  EXPECT_EQ(text(60'000'000'000), "1m0s");
  EXPECT_EQ(text(15 * 60'000'000'000), "15m0s");
  EXPECT_EQ(text(3'723'000'000'001), "1h2m3.000000001s");
  EXPECT_EQ(text(3'600'000'000'000), "1h0m0s");
  EXPECT_EQ(text(-1'000'000'000), "-1s");
}

}  // namespace
}  // namespace leadline

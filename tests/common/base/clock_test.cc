#include "leadline/base/clock.h"

#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ManualClockTest, MovesOnlyWhenTold) {
  ManualClock clock;
  const SystemTime start = clock.Now();
  const SteadyTime steady = clock.SteadyNow();
  clock.Advance(seconds(90));
  EXPECT_EQ(clock.Now() - start, seconds(90));
  EXPECT_EQ(clock.SteadyNow() - steady, seconds(90));
}

TEST(FormatRfc3339Test, WritesUtcWithAskedFraction) {
  ManualClock clock;
  clock.Advance(milliseconds(1234));
  EXPECT_EQ(FormatRfc3339(clock.Now()), "2026-01-01T00:00:01Z");
  EXPECT_EQ(FormatRfc3339(clock.Now(), 6), "2026-01-01T00:00:01.234000Z");
}

TEST(FormatRfc3339Test, FloorsTimesBefore1970) {
  EXPECT_EQ(FormatRfc3339(SystemTime(milliseconds(-1)), 3), "1969-12-31T23:59:59.999Z");
}

TEST(UnixSecondsTest, RoundTrips) {
  const SystemTime time = FromUnixSeconds(1796100000.25);
  EXPECT_DOUBLE_EQ(ToUnixSeconds(time), 1796100000.25);
}

}  // namespace
}  // namespace leadline

#include "clock_pair.h"

namespace leadline {
namespace {

constexpr int kAttempts = 4;
constexpr std::chrono::microseconds kGoodEnough{2};
constexpr std::chrono::microseconds kTolerance{50};

}  // namespace

ClockPair ReadClocks(const Clock& clock) {
  ClockPair best;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const SteadyTime before = clock.SteadyNow();
    const std::chrono::nanoseconds wall = clock.Now().time_since_epoch();
    const std::chrono::nanoseconds doubt = clock.SteadyNow() - before;
    // Losing the CPU between the readings looks like a step: take the closest ones.
    if (attempt == 0 || doubt < best.doubt) best = {before, wall, doubt};
    if (doubt <= kGoodEnough) break;
  }
  return best;
}

std::chrono::nanoseconds StepTolerance(const ClockPair& before, const ClockPair& after) {
  return kTolerance + before.doubt + after.doubt;
}

bool WallClockStepped(const ClockPair& before, const ClockPair& after) {
  const auto by_wall = after.wall - before.wall;
  const auto by_steady = after.steady - before.steady;
  return std::chrono::abs(by_wall - by_steady) > StepTolerance(before, after);
}

}  // namespace leadline

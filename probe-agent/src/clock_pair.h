// Both clocks at one moment, to tell whether the wall clock was moved between two moments.
#pragma once

#include <chrono>

#include "leadline/base/clock.h"

namespace leadline {

struct ClockPair {
  SteadyTime steady{};
  std::chrono::nanoseconds wall{0};   // since 1970
  std::chrono::nanoseconds doubt{0};  // the clocks were read at most so far apart
};

ClockPair ReadClocks(const Clock& clock);

// How far the wall clock may seem moved although it was not.
std::chrono::nanoseconds StepTolerance(const ClockPair& before, const ClockPair& after);

// True when the wall clock was set between the two readings. Slewing, as NTP does, moves both
// clocks alike and is no step.
bool WallClockStepped(const ClockPair& before, const ClockPair& after);

}  // namespace leadline

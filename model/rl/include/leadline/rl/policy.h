// How exploration goes down, and epsilon-greedy over masked actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leadline/base/rng.h"

namespace leadline {

// REQUIREMENTS A3: starts at 1.0, decays 5% every 1,000 steps, never below 0.1.
struct EpsilonSchedule {
  double start = 1.0;
  double decay = 0.95;
  std::int64_t decay_steps = 1000;
  double floor = 0.1;

  double At(std::int64_t step) const;
};

struct PolicyChoice {
  std::size_t action = 0;
  bool explored = false;
  double propensity = 1.0;  // probability of this action under the policy
};

// Among the actions whose mask is true (empty mask: all), the best value, or with probability
// epsilon any of them alike. At least one action must be allowed. The first of equals is best.
PolicyChoice EpsilonGreedy(std::span<const float> values, std::span<const char> mask,
                           double epsilon, Rng& rng);

}  // namespace leadline

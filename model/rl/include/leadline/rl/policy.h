// Which action to take, given values and a mask (REQUIREMENTS A3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leadline/base/rng.h"

namespace leadline {

// 1.0 at first, 5% less every 1,000 steps, never below 0.1.
struct EpsilonSchedule {
  double start = 1.0;
  double decay = 0.95;
  std::uint64_t decay_steps = 1000;
  double floor = 0.1;

  double At(std::uint64_t step) const;
};

struct PolicyChoice {
  std::size_t action = 0;
  bool explored = false;
  double propensity = 1.0;
};

// Epsilon-greedy over the actions whose mask is not 0 (an empty mask allows all); equals are drawn
// from. Values that are not finite are never the best. Nothing when the mask allows no action.
std::optional<PolicyChoice> ChooseEpsilonGreedy(std::span<const float> values,
                                                std::span<const std::uint8_t> mask, double epsilon,
                                                Rng* rng);

}  // namespace leadline

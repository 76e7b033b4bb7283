#include "leadline/rl/policy.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace leadline {

double EpsilonSchedule::At(std::int64_t step) const {
  const auto decays = static_cast<double>(step / std::max<std::int64_t>(1, decay_steps));
  return std::max(floor, start * std::pow(decay, decays));
}

PolicyChoice EpsilonGreedy(std::span<const float> values, std::span<const char> mask,
                           double epsilon, Rng& rng) {
  std::vector<std::size_t> allowed;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (mask.empty() || mask[i] != 0) allowed.push_back(i);
  }
  std::size_t best = allowed.front();
  for (std::size_t i : allowed) {
    if (values[i] > values[best]) best = i;
  }
  PolicyChoice choice;
  choice.explored = epsilon > 0 && rng.Uniform() < epsilon;
  choice.action = choice.explored ? allowed[rng.Below(allowed.size())] : best;
  choice.propensity = epsilon / static_cast<double>(allowed.size());
  if (choice.action == best) choice.propensity += 1.0 - epsilon;
  return choice;
}

}  // namespace leadline

#include "leadline/rl/policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace leadline {

double EpsilonSchedule::At(std::uint64_t step) const {
  const auto decays = static_cast<double>(step / std::max<std::uint64_t>(decay_steps, 1));
  return std::max(floor, start * std::pow(decay, decays));
}

std::optional<PolicyChoice> ChooseEpsilonGreedy(std::span<const float> values,
                                                std::span<const std::uint8_t> mask, double epsilon,
                                                Rng* rng) {
  std::vector<std::size_t> allowed, best;
  float highest = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!mask.empty() && mask[i] == 0) continue;
    allowed.push_back(i);
    if (!std::isfinite(values[i]) || values[i] < highest) continue;
    if (values[i] > highest) best.clear();
    highest = values[i];
    best.push_back(i);
  }
  if (allowed.empty()) return std::nullopt;
  if (best.empty()) best = allowed;
  PolicyChoice choice;
  choice.explored = epsilon > 0 && rng->Uniform() < epsilon;
  const std::vector<std::size_t>& from = choice.explored ? allowed : best;
  choice.action = from.size() == 1 ? from[0] : from[rng->Below(from.size())];
  const bool is_best = std::binary_search(best.begin(), best.end(), choice.action);
  choice.propensity = epsilon / static_cast<double>(allowed.size()) +
                      (is_best ? (1 - epsilon) / static_cast<double>(best.size()) : 0.0);
  return choice;
}

}  // namespace leadline

#include "leadline/rl/action_decoder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leadline/rl/policy.h"

namespace leadline {
namespace {

constexpr std::array<std::string_view, 5> kConditions = {"no_model", "no_metrics", "stale_metrics",
                                                         "non_finite", "rejected"};
constexpr std::array<std::string_view, 4> kChoices = {"least_allocated", "best_feasible", "random",
                                                      "reject"};

template <typename T, std::size_t N>
Result<T> Parse(std::string_view name, const std::array<std::string_view, N>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<T>(found - names.begin());
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("expected one of {}, found \"{}\"", fmt::join(names, ", "), name));
}

bool AllFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

std::size_t IndexOfBest(std::span<const float> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

std::string_view FallbackConditionName(FallbackCondition condition) {
  return kConditions[static_cast<std::size_t>(condition)];
}
std::string_view FallbackChoiceName(FallbackChoice choice) {
  return kChoices[static_cast<std::size_t>(choice)];
}
Result<FallbackCondition> ParseFallbackCondition(std::string_view name) {
  return Parse<FallbackCondition>(name, kConditions);
}
Result<FallbackChoice> ParseFallbackChoice(std::string_view name) {
  return Parse<FallbackChoice>(name, kChoices);
}

bool ActionDecoder::Holds(FallbackCondition condition, const DecoderInput& input,
                          std::size_t nodes) const {
  switch (condition) {
    case FallbackCondition::kNoModel:
      return input.values.empty();
    case FallbackCondition::kNoMetrics:
      return !input.has_metrics;
    case FallbackCondition::kStaleMetrics:
      return input.stale_metrics;
    case FallbackCondition::kNonFinite:
      return !AllFinite(input.values);
    case FallbackCondition::kRejected:
      return AllFinite(input.values) && IndexOfBest(input.values) == nodes;
  }
  return false;
}

DecodedAction ActionDecoder::Choose(FallbackChoice choice, const DecoderInput& input,
                                    Rng& rng) const {
  const std::size_t nodes = input.least_allocated.size();
  DecodedAction action;
  action.fallback = FallbackChoiceName(choice);
  const bool usable = !input.values.empty() && AllFinite(input.values);
  switch (choice) {
    case FallbackChoice::kReject:
      action.action = nodes;
      break;
    case FallbackChoice::kRandom:
      action.action = rng.Below(nodes);
      action.propensity = 1.0 / static_cast<double>(nodes);
      break;
    case FallbackChoice::kBestFeasible:
      if (usable) {
        action.action = IndexOfBest(input.values.first(nodes));
        break;
      }
      action.fallback = FallbackChoiceName(FallbackChoice::kLeastAllocated);
      [[fallthrough]];  // the network has no opinion to follow
    case FallbackChoice::kLeastAllocated:
      action.action = IndexOfBest(input.least_allocated);
  }
  return action;
}

DecodedAction ActionDecoder::Decode(const DecoderInput& input, Rng& rng) const {
  const std::size_t nodes = input.least_allocated.size();
  DecodedAction action;
  bool decided = false;
  for (const Fallback& fallback : config_.fallbacks) {
    if (!Holds(fallback.when, input, nodes)) continue;
    action = Choose(fallback.use, input, rng);
    action.fallback_reason = FallbackConditionName(fallback.when);
    decided = true;
    break;
  }
  if (!decided && (input.values.empty() || !AllFinite(input.values))) {
    // No fallback is configured for it, yet somebody has to decide.
    action = Choose(FallbackChoice::kLeastAllocated, input, rng);
    action.fallback_reason = input.values.empty() ? "no_model" : "non_finite";
    decided = true;
  }
  if (!decided) {
    const std::size_t best = IndexOfBest(input.values);
    const PolicyChoice choice = EpsilonGreedy(input.values.first(nodes), {}, input.epsilon, rng);
    action.action = choice.explored || best != nodes ? choice.action : nodes;
    action.explored = choice.explored;
    action.propensity = choice.propensity;
    if (action.action == nodes) action.propensity = 1.0 - input.epsilon;
  }
  if (action.action == nodes && input.rejections >= config_.max_rejections) {
    action = Choose(FallbackChoice::kBestFeasible, input, rng);
    action.fallback_reason = "max_rejections";
  }
  return action;
}

}  // namespace leadline

#include "leadline/rl/action_decoder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "leadline/rl/least_allocated.h"
#include "leadline/rl/policy.h"
#include "names.h"

namespace leadline {
namespace {

constexpr std::array<std::string_view, 5> kConditionNames = {
    "no_model", "no_metrics", "stale_metrics", "non_finite", "rejected"};
constexpr std::array<std::string_view, 4> kChoiceNames = {"least_allocated", "best_feasible",
                                                          "random", "reject"};
constexpr std::string_view kMaxRejections = "max_rejections";

bool IsFinite(float value) { return std::isfinite(value); }

std::span<const float> NodeValues(const DecoderInput& input) {
  return input.values.empty() ? input.values : input.values.first(input.nodes.size());
}

bool Holds(FallbackCondition condition, const DecoderInput& input) {
  const std::span<const float> values = input.values;
  switch (condition) {
    case FallbackCondition::kNoModel:
      return values.empty();
    case FallbackCondition::kNoMetrics:
      return input.no_metrics;
    case FallbackCondition::kStaleMetrics:
      return input.stale_metrics;
    case FallbackCondition::kNonFinite:
      return !std::all_of(values.begin(), values.end(), IsFinite);
    case FallbackCondition::kRejected:
      return false;  // looked at once the network has chosen
  }
  return false;
}

// Whether the choice can be made at all: the network's best node needs a finite value.
bool CanBeMade(FallbackChoice choice, const DecoderInput& input) {
  if (choice != FallbackChoice::kBestFeasible) return true;
  const std::span<const float> values = NodeValues(input);
  return std::any_of(values.begin(), values.end(), IsFinite);
}

std::vector<float> ValuesFor(FallbackChoice choice, const DecoderInput& input) {
  std::vector<float> values(input.nodes.size(), 0.0f);
  if (choice == FallbackChoice::kBestFeasible) {
    const std::span<const float> given = NodeValues(input);
    values.assign(given.begin(), given.end());
  } else if (choice == FallbackChoice::kLeastAllocated) {
    std::transform(input.nodes.begin(), input.nodes.end(), values.begin(),
                   [&input](const NodeState& node) {
                     return static_cast<float>(LeastAllocatedScore(node, input.pod));
                   });
  }
  return values;
}

DecodedAction Decide(FallbackChoice choice, std::string_view reason, const DecoderInput& input,
                     int max_rejections, Rng* rng) {
  if (choice == FallbackChoice::kReject) {
    if (input.rejections < max_rejections) {
      return {input.nodes.size(), FallbackChoiceName(choice), reason, false, 1.0};
    }
    reason = kMaxRejections;
    choice = CanBeMade(FallbackChoice::kBestFeasible, input) ? FallbackChoice::kBestFeasible
                                                             : FallbackChoice::kLeastAllocated;
  }
  const auto chosen = ChooseEpsilonGreedy(ValuesFor(choice, input), {}, 0.0, rng);
  return {chosen->action, FallbackChoiceName(choice), reason, false, chosen->propensity};
}

}  // namespace

std::string_view FallbackConditionName(FallbackCondition condition) {
  return kConditionNames[static_cast<std::size_t>(condition)];
}

std::string_view FallbackChoiceName(FallbackChoice choice) {
  return kChoiceNames[static_cast<std::size_t>(choice)];
}

Result<FallbackCondition> ParseFallbackCondition(std::string_view name) {
  return ParseName<FallbackCondition>("condition", name, kConditionNames);
}

Result<FallbackChoice> ParseFallbackChoice(std::string_view name) {
  return ParseName<FallbackChoice>("fallback", name, kChoiceNames);
}

DecodedAction ActionDecoder::Decode(const DecoderInput& input, Rng* rng) const {
  for (const FallbackRule& rule : config_.chain) {
    if (Holds(rule.when, input) && CanBeMade(rule.use, input)) {
      return Decide(rule.use, FallbackConditionName(rule.when), input, config_.max_rejections, rng);
    }
  }
  for (const auto condition : {FallbackCondition::kNoModel, FallbackCondition::kNonFinite}) {
    if (Holds(condition, input) && !CanBeMade(FallbackChoice::kBestFeasible, input)) {
      return Decide(FallbackChoice::kLeastAllocated, FallbackConditionName(condition), input,
                    config_.max_rejections, rng);
    }
  }
  return DecodeValues(input, rng);
}

DecodedAction ActionDecoder::DecodeValues(const DecoderInput& input, Rng* rng) const {
  const std::size_t reject = input.nodes.size();
  const std::span<const float> nodes = NodeValues(input);
  const auto chosen = ChooseEpsilonGreedy(nodes, {}, input.epsilon, rng);
  const float best = *std::max_element(nodes.begin(), nodes.end(), [](float a, float b) {
    return IsFinite(b) && (!IsFinite(a) || a < b);
  });
  // Exploring picks among the nodes only, so rejecting is left for the greedy choice.
  const bool rejects = IsFinite(input.values[reject]) && input.values[reject] > best;
  if (!rejects || chosen->explored) {
    const double propensity =
        rejects ? input.epsilon / static_cast<double>(reject) : chosen->propensity;
    return {chosen->action, {}, {}, chosen->explored, propensity};
  }
  for (const FallbackRule& rule : config_.chain) {
    if (rule.when == FallbackCondition::kRejected && CanBeMade(rule.use, input)) {
      return Decide(rule.use, FallbackConditionName(rule.when), input, config_.max_rejections, rng);
    }
  }
  if (input.rejections >= config_.max_rejections) {
    return Decide(FallbackChoice::kBestFeasible, kMaxRejections, input, config_.max_rejections,
                  rng);
  }
  return {reject, {}, {}, false, 1.0 - input.epsilon};
}

}  // namespace leadline

#include "leadline/rl/action_decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

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

struct Substitute {
  FallbackChoice choice;
  std::string_view reason;
};

// Who really decides where `choice` is configured: no Pod is rejected for ever.
Substitute Resolve(FallbackChoice choice, std::string_view reason, const DecoderInput& input,
                   int max_rejections) {
  if (choice != FallbackChoice::kReject || input.rejections < max_rejections) {
    return {choice, reason};
  }
  return {CanBeMade(FallbackChoice::kBestFeasible, input) ? FallbackChoice::kBestFeasible
                                                          : FallbackChoice::kLeastAllocated,
          kMaxRejections};
}

DecodedAction Take(const Substitute& substitute, const DecoderInput& input, Rng* rng) {
  const std::string_view name = FallbackChoiceName(substitute.choice);
  if (substitute.choice == FallbackChoice::kReject) {
    return {input.nodes.size(), name, substitute.reason, false, 1.0};
  }
  const auto chosen = ChooseEpsilonGreedy(ValuesFor(substitute.choice, input), {}, 0.0, rng);
  return {chosen->action, name, substitute.reason, false, chosen->propensity};
}

// With which probability Take() takes this node.
double Propensity(const Substitute& substitute, const DecoderInput& input, std::size_t node) {
  if (substitute.choice == FallbackChoice::kReject) return 0.0;
  const std::vector<float> values = ValuesFor(substitute.choice, input);
  const auto better = [&values, node](float value) {
    return IsFinite(value) && (!IsFinite(values[node]) || value > values[node]);
  };
  if (std::any_of(values.begin(), values.end(), better)) return 0.0;
  // Where no value is finite, every node is as good.
  const auto equals = std::count_if(values.begin(), values.end(), [&](float value) {
    return !IsFinite(values[node]) || value == values[node];
  });
  return 1.0 / static_cast<double>(equals);
}

// Who decides where the network would wait; nobody: it waits.
std::optional<Substitute> InsteadOfWaiting(const DecoderConfig& config, const DecoderInput& input) {
  for (const FallbackRule& rule : config.chain) {
    if (rule.when == FallbackCondition::kRejected && CanBeMade(rule.use, input)) {
      return Resolve(rule.use, FallbackConditionName(rule.when), input, config.max_rejections);
    }
  }
  if (input.rejections < config.max_rejections) return std::nullopt;
  return Substitute{FallbackChoice::kBestFeasible, kMaxRejections};
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
  const auto decide = [&](FallbackChoice choice, FallbackCondition why) {
    const std::string_view reason = FallbackConditionName(why);
    return Take(Resolve(choice, reason, input, config_.max_rejections), input, rng);
  };
  for (const FallbackRule& rule : config_.chain) {
    if (Holds(rule.when, input) && CanBeMade(rule.use, input)) return decide(rule.use, rule.when);
  }
  for (const auto condition : {FallbackCondition::kNoModel, FallbackCondition::kNonFinite}) {
    if (Holds(condition, input) && !CanBeMade(FallbackChoice::kBestFeasible, input)) {
      return decide(FallbackChoice::kLeastAllocated, condition);
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
  const bool would_wait = IsFinite(input.values[reject]) && input.values[reject] > best;
  if (!would_wait) return {chosen->action, {}, {}, chosen->explored, chosen->propensity};
  // Exploring picks among the nodes only, so waiting is left for the greedy choice. An action may
  // come about both ways, and its propensity is the sum of the two.
  const auto substitute = InsteadOfWaiting(config_, input);
  const double greedy = 1.0 - input.epsilon;
  const double exploring = input.epsilon / static_cast<double>(reject);
  if (chosen->explored) {
    const double same = substitute ? Propensity(*substitute, input, chosen->action) : 0.0;
    return {chosen->action, {}, {}, true, exploring + greedy * same};
  }
  if (!substitute) return {reject, {}, {}, false, greedy};
  DecodedAction taken = Take(*substitute, input, rng);
  taken.propensity = greedy * taken.propensity + (taken.action < reject ? exploring : 0.0);
  return taken;
}

}  // namespace leadline

#include "signal_round.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace leadline {
namespace {

using Stored = MetricsSnapshot::Stored;

// Ages beyond this are not told apart: a series stamped in 1970 must not overflow a steady clock.
constexpr double kMaxAgeSeconds = 86400.0 * 365;

std::string JoinLabels(const Sample& sample) {
  std::string key;
  for (const auto& [name, value] : sample.labels) {
    ((key += name) += '\xFF') += value;
    key += '\xFF';
  }
  return key;
}

// Sample ages in seconds, by series and, for queries aggregated differently, by node.
class Ages {
 public:
  Ages(const SignalConfig& config, const QueryAnswer& timestamps, const NodeMatcher& matcher) {
    for (const Sample& sample : timestamps.samples) {
      if (!std::isfinite(sample.value)) continue;
      const double age = std::clamp(sample.time - sample.value, -kMaxAgeSeconds, kMaxAgeSeconds);
      by_series_[JoinLabels(sample)] = age;
      const NodeMatcher::Answer node = matcher.Find(sample, config.node_labels);
      if (node.match != NodeMatch::kFound) continue;
      const auto [entry, added] = by_node_.emplace(node.node, age);
      if (!added) entry->second = std::max(entry->second, age);
    }
  }

  // The age of exactly this series; else the oldest of the node's.
  std::optional<double> Find(const Sample& sample, std::size_t node) const {
    if (const auto exact = by_series_.find(JoinLabels(sample)); exact != by_series_.end()) {
      return exact->second;
    }
    const auto any = by_node_.find(node);
    return any == by_node_.end() ? std::nullopt : std::optional(any->second);
  }

 private:
  std::unordered_map<std::string, double> by_series_;
  std::unordered_map<std::size_t, double> by_node_;
};

// In the canonical unit; nothing when the node's capacity is needed and unknown.
std::optional<double> Convert(double value, MetricUnit unit, const NodeIdentity& node) {
  switch (unit) {
    case MetricUnit::kPercent:
      return value / 100;
    case MetricUnit::kSeconds:
      return value * 1000;
    case MetricUnit::kCores:
      if (node.cpu_milli <= 0) return std::nullopt;
      return value * 1000 / static_cast<double>(node.cpu_milli);
    case MetricUnit::kBytes:
      if (node.memory_bytes <= 0) return std::nullopt;
      return value / static_cast<double>(node.memory_bytes);
    default:
      return value;
  }
}

// A share of memory or bytes this small but not zero was never measured in that unit.
bool IsImplausible(const SignalConfig& config, double value) {
  constexpr double kLeastShare = 1e-7;
  const bool tiny = config.signal == MetricSignal::kMemory && value > 0 && value < kLeastShare;
  return value < config.min || value > config.max || tiny;
}

Stored Judge(const SignalConfig& config, const Sample& sample, const NodeIdentity& node,
             std::optional<double> age, SteadyTime asked) {
  Stored stored;
  const double max_age = std::chrono::duration<double>(config.max_age).count();
  const auto value = Convert(sample.value, config.unit, node);
  if (!std::isfinite(sample.value)) {
    stored.problem = MissingReason::kNotANumber;
  } else if (!value) {
    stored.problem = MissingReason::kNoCapacity;
  } else if (IsImplausible(config, *value)) {
    stored.problem = MissingReason::kOutOfRange;
  } else if (!age) {
    stored.problem = MissingReason::kNoTimestamp;
  } else if (*age < -max_age) {
    stored.problem = MissingReason::kAheadOfTime;
  } else {
    stored.problem = *age > max_age ? MissingReason::kStale : MissingReason::kNone;
    stored.has_value = true;
    stored.value = *value;
    stored.measured = asked - std::chrono::duration_cast<Duration>(
                                  std::chrono::duration<double>(std::max(*age, 0.0)));
  }
  return stored;
}

bool IsUsable(const Stored& stored) { return stored.problem == MissingReason::kNone; }

// Among several series of one node the newest usable one wins; equally new ones with different
// values cannot be told apart.
Stored Best(const std::vector<Stored>& series) {
  const Stored* best = &series.front();
  for (const Stored& other : series) {
    if (IsUsable(other) != IsUsable(*best)) {
      if (IsUsable(other)) best = &other;
    } else if (other.measured > best->measured) {
      best = &other;
    }
  }
  Stored result = *best;
  for (const Stored& other : series) {
    if (!IsUsable(result) || !IsUsable(other)) continue;
    if (other.measured == result.measured && other.value != result.value) {
      result.problem = MissingReason::kDuplicate;
      result.has_value = false;
    }
  }
  return result;
}

void AddExample(SignalRound& round, const Sample& sample, NodeMatch match) {
  match == NodeMatch::kAmbiguous ? ++round.ambiguous : ++round.without_node;
  if (round.examples.size() < kMaxExamples) round.examples.push_back(sample.LabelText());
}

}  // namespace

SignalRound JudgeAnswers(const SignalConfig& config, const QueryAnswer& values,
                         const QueryAnswer& timestamps, const NodeMatcher& matcher,
                         SteadyTime asked) {
  SignalRound round;
  const Ages ages(config, timestamps, matcher);
  std::unordered_map<std::size_t, std::vector<Stored>> candidates;
  for (const Sample& sample : values.samples) {
    const NodeMatcher::Answer found = matcher.Find(sample, config.node_labels);
    if (found.match != NodeMatch::kFound) {
      AddExample(round, sample, found.match);
      continue;
    }
    const Stored stored =
        Judge(config, sample, matcher.nodes()[found.node], ages.Find(sample, found.node), asked);
    if (!IsUsable(stored)) ++round.bad[static_cast<std::size_t>(stored.problem)];
    candidates[found.node].push_back(stored);
  }
  for (auto& [node, list] : candidates) {
    if (list.size() > 1) ++round.bad[static_cast<std::size_t>(MissingReason::kDuplicate)];
    round.nodes.emplace(node, Best(list));
  }
  return round;
}

}  // namespace leadline

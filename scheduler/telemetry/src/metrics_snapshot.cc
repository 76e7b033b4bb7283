#include "leadline/telemetry/metrics_snapshot.h"

#include <algorithm>

namespace leadline {

std::string_view MissingReasonName(MissingReason reason) {
  static constexpr std::array<std::string_view, kMissingReasons> kNames = {
      "ok",           "not_configured", "no_answer",     "unknown_node",
      "absent",       "stale",          "not_a_number",  "duplicate",
      "out_of_range", "no_timestamp",   "ahead_of_time", "no_capacity"};
  return kNames[static_cast<std::size_t>(reason)];
}

MetricsSnapshot::MetricsSnapshot(Nodes nodes, MaxAges max_ages)
    : nodes_(std::move(nodes)), max_ages_(max_ages) {}

Reading MetricsSnapshot::Judge(const Stored& stored, std::size_t signal, SteadyTime now) const {
  Reading reading;
  if (max_ages_[signal] == Duration::zero()) {
    reading.missing = MissingReason::kNotConfigured;
    return reading;
  }
  reading.missing = stored.problem;
  if (!stored.has_value) return reading;
  reading.value = stored.value;
  reading.age = std::max(Duration::zero(), Duration(now - stored.measured));
  if (reading.age <= max_ages_[signal]) {
    reading.missing = MissingReason::kNone;
  } else if (stored.problem == MissingReason::kNone) {
    reading.missing = MissingReason::kStale;
  }
  return reading;
}

Reading MetricsSnapshot::Unknown(std::size_t signal) const {
  Reading reading;
  reading.missing = max_ages_[signal] == Duration::zero() ? MissingReason::kNotConfigured
                    : nodes_.empty()                      ? MissingReason::kNoAnswer
                                                          : MissingReason::kUnknownNode;
  return reading;
}

Reading MetricsSnapshot::Get(std::string_view node, MetricSignal signal, SteadyTime now) const {
  const auto index = static_cast<std::size_t>(signal);
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? Unknown(index) : Judge(found->second[index], index, now);
}

NodeReadings MetricsSnapshot::GetAll(std::string_view node, SteadyTime now) const {
  NodeReadings readings;
  const auto found = nodes_.find(node);
  for (std::size_t i = 0; i < kMetricSignals; ++i) {
    readings[i] = found == nodes_.end() ? Unknown(i) : Judge(found->second[i], i, now);
  }
  return readings;
}

}  // namespace leadline

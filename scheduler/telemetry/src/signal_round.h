// One answer of one signal, judged: pure, without clocks or I/O; private to the module.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/telemetry/metrics_config.h"
#include "leadline/telemetry/metrics_snapshot.h"
#include "leadline/telemetry/node_matcher.h"
#include "leadline/telemetry/query_answer.h"

namespace leadline {

inline constexpr std::size_t kMaxExamples = 5;

struct SignalRound {
  // One entry for each node that had any series: index into NodeMatcher::nodes().
  std::unordered_map<std::size_t, MetricsSnapshot::Stored> nodes;
  // Series that gave no usable value, by reason; kDuplicate: nodes with more than one series.
  std::array<std::size_t, kMissingReasons> bad{};
  std::size_t without_node = 0;
  std::size_t ambiguous = 0;
  std::vector<std::string> examples;  // of the last two, at most kMaxExamples
};

// `asked`: the steady time at which the queries were sent. A sample's age is the answer's
// evaluation time less the timestamp query's value: both are Prometheus's or the exporter's clock,
// so ours may be wrong or jump.
SignalRound JudgeAnswers(const SignalConfig& config, const QueryAnswer& values,
                         const QueryAnswer& timestamps, const NodeMatcher& matcher,
                         SteadyTime asked);

}  // namespace leadline

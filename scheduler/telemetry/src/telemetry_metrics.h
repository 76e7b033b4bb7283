// The leadline_telemetry_* families; private to the module.
#pragma once

#include <array>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/base/result.h"
#include "leadline/exporter/registry.h"
#include "leadline/telemetry/metrics_config.h"
#include "leadline/telemetry/metrics_snapshot.h"
#include "leadline/telemetry/query_answer.h"
#include "signal_round.h"

namespace leadline {

// Thread-safe.
class TelemetryMetrics {
 public:
  explicit TelemetryMetrics(Registry& registry);

  // One answer, good or bad, to one query.
  void CountAnswer(MetricSignal signal, const Result<QueryAnswer>& answer, Duration took);
  void CountRound(MetricSignal signal, const SignalRound& round);
  void SetUp(MetricSignal signal, bool up);

  // Gauges over all nodes as they stand at `now`: states, ages.
  void Describe(const MetricsSnapshot& snapshot, const MetricsConfig& config, SteadyTime now);

 private:
  CounterFamily& queries_;
  HistogramFamily& query_seconds_;
  CounterFamily& warnings_;
  CounterFamily& infos_;
  CounterFamily& bad_series_;
  GaugeFamily& up_;
  GaugeFamily& unmatched_;
  GaugeFamily& nodes_;
  GaugeFamily& sample_age_;
  GaugeFamily& node_age_;
};

}  // namespace leadline

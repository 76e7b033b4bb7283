// What to ask Prometheus for, from metrics.yaml and the query set that it names
// (docs/telemetry.md).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/telemetry/prometheus_client.h"

namespace leadline {

// What is known of a node, in its canonical unit.
enum class MetricSignal {
  kCpu,      // used share of the node's capacity, 0 to 1 (a little more is possible)
  kMemory,   // the same
  kLatency,  // round trip to other nodes, milliseconds
  kLoss,     // lost share of the probes, 0 to 1
};
inline constexpr std::size_t kMetricSignals = 4;
std::string_view MetricSignalName(MetricSignal signal);  // "cpu", "memory", "latency", "loss"

// What the query's values are in; converted to the canonical unit.
enum class MetricUnit { kRatio, kPercent, kCores, kBytes, kSeconds, kMilliseconds };

struct SignalConfig {
  MetricSignal signal = MetricSignal::kCpu;
  std::string query;            // one series a node
  std::string timestamp_query;  // Unix time of the samples behind `query`, one series a node
  MetricUnit unit = MetricUnit::kRatio;
  std::vector<std::string> node_labels{"node", "instance"};  // the first that finds a node
  double min = 0;  // canonical unit; what is outside [min, max] was measured in another unit
  double max = 1;
  std::chrono::nanoseconds max_age{std::chrono::minutes(1)};
};

struct MetricsConfig {
  PrometheusConfig prometheus;
  std::chrono::nanoseconds interval{std::chrono::seconds(5)};
  // What $rate_window stands for: a sample of CPU use looks this far back.
  std::chrono::nanoseconds rate_window{std::chrono::minutes(1)};
  // After the server refused (wrong query, wrong credentials): trying at once changes nothing.
  std::chrono::nanoseconds pause_after_refusal{std::chrono::minutes(1)};
  std::chrono::nanoseconds max_backoff{std::chrono::seconds(30)};
  std::vector<SignalConfig> signals;  // each signal at most once
};

// kInvalidArgument with every mistake of both files, each with file, line, key and expected form.
Result<MetricsConfig> LoadMetricsConfig(const std::string& file);

// The default plausible range of a signal, canonical unit.
SignalConfig DefaultSignal(MetricSignal signal);

}  // namespace leadline

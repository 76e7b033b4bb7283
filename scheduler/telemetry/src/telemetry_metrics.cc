#include "telemetry_metrics.h"

#include <algorithm>

#include "leadline/exporter/buckets.h"

namespace leadline {
namespace {

constexpr std::size_t kMaxNodeSeries = 20000;  // 5,000 nodes, 4 signals

std::string Name(MetricSignal signal) { return std::string(MetricSignalName(signal)); }

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

TelemetryMetrics::TelemetryMetrics(Registry& registry)
    : queries_(registry.DeclareCounter({"leadline_telemetry_queries_total",
                                        "Queries sent to Prometheus, by how they ended.",
                                        {"signal", "result"}})),
      query_seconds_(registry.DeclareHistogram({"leadline_telemetry_query_duration_seconds",
                                                "Time from a query to its answer.",
                                                {"signal"}},
                                               buckets::SchedulingAttempt())),
      warnings_(registry.DeclareCounter({"leadline_telemetry_warnings_total",
                                         "Answers that came with warnings: they may be partial.",
                                         {"signal"}})),
      infos_(registry.DeclareCounter({"leadline_telemetry_infos_total",
                                      "Answers that came with remarks on the query.",
                                      {"signal"}})),
      bad_series_(registry.DeclareCounter(
          {"leadline_telemetry_bad_series_total",
           "Series in answers that could not be used; duplicate: nodes with several series.",
           {"signal", "reason"}})),
      up_(registry.DeclareGauge({"leadline_telemetry_up",
                                 "Whether the last poll of this signal was answered.",
                                 {"signal"}})),
      unmatched_(registry.DeclareGauge(
          {"leadline_telemetry_unmatched_series",
           "Series in the last answer that belong to no node, or to more than one.",
           {"signal", "match"}})),
      nodes_(
          registry.DeclareGauge({"leadline_telemetry_nodes",
                                 "Nodes by whether this signal has a value for them, and why not.",
                                 {"signal", "state"}})),
      sample_age_(registry.DeclareGauge({"leadline_telemetry_sample_age_seconds",
                                         "Age of the samples in use.",
                                         {"signal", "stat"}})),
      node_age_(registry.DeclareGauge({"leadline_node_metric_age_seconds",
                                       "Age of the last sample of this node, used or not.",
                                       {"node", "signal"},
                                       kMaxNodeSeries})) {}

void TelemetryMetrics::CountAnswer(MetricSignal signal, const Result<QueryAnswer>& answer,
                                   Duration took) {
  const std::string name = Name(signal);
  const std::string_view result = answer ? "success" : ErrorCodeName(answer.error().code());
  queries_.With({name, result}).Increment();
  query_seconds_.With({name}).Observe(Seconds(took));
  if (!answer) return;
  warnings_.With({name}).Increment(answer->warnings.empty() ? 0 : 1);
  infos_.With({name}).Increment(answer->infos.empty() ? 0 : 1);
}

void TelemetryMetrics::CountRound(MetricSignal signal, const SignalRound& round) {
  const std::string name = Name(signal);
  for (std::size_t i = 0; i < kMissingReasons; ++i) {
    if (round.bad[i] == 0) continue;
    bad_series_.With({name, MissingReasonName(static_cast<MissingReason>(i))})
        .Increment(static_cast<double>(round.bad[i]));
  }
  unmatched_.With({name, "none"}).Set(static_cast<double>(round.without_node));
  unmatched_.With({name, "ambiguous"}).Set(static_cast<double>(round.ambiguous));
}

void TelemetryMetrics::SetUp(MetricSignal signal, bool up) { up_.With({Name(signal)}).Set(up); }

void TelemetryMetrics::Describe(const MetricsSnapshot& snapshot, const MetricsConfig& config,
                                SteadyTime now) {
  using Series = std::vector<std::pair<LabelValues, double>>;
  Series node_ages;
  Series sample_ages;
  Series states;
  for (const SignalConfig& signal : config.signals) {
    const std::string name = Name(signal.signal);
    std::array<double, kMissingReasons> counts{};
    std::vector<double> used;
    for (const auto& [node, stored] : snapshot.nodes()) {
      const Reading reading = snapshot.Get(node, signal.signal, now);
      ++counts[static_cast<std::size_t>(reading.missing)];
      if (reading.ok()) used.push_back(Seconds(reading.age));
      if (stored[static_cast<std::size_t>(signal.signal)].has_value) {
        node_ages.push_back({{node, name}, Seconds(reading.age)});
      }
    }
    for (std::size_t i = 0; i < kMissingReasons; ++i) {
      const auto state = MissingReasonName(static_cast<MissingReason>(i));
      states.push_back({{name, std::string(state)}, counts[i]});
    }
    if (used.empty()) continue;
    std::sort(used.begin(), used.end());
    sample_ages.push_back({{name, "newest"}, used.front()});
    sample_ages.push_back({{name, "median"}, used[used.size() / 2]});
    sample_ages.push_back({{name, "oldest"}, used.back()});
  }
  nodes_.ReplaceAll(states);
  sample_age_.ReplaceAll(sample_ages);
  node_age_.ReplaceAll(node_ages);
}

}  // namespace leadline

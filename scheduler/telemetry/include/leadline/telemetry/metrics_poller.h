// Asks Prometheus in the background and keeps the freshest answer per node.
//
// A scheduling cycle only ever takes Snapshot(), which reads memory: Prometheus being down, slow or
// wrong changes what the snapshot says, never how long a cycle takes. Rules for stale, missing,
// NaN, duplicate and implausible series: docs/telemetry.md. Metrics: docs/metrics.md.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/exporter/registry.h"
#include "leadline/telemetry/metrics_config.h"
#include "leadline/telemetry/metrics_snapshot.h"
#include "leadline/telemetry/node_matcher.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

// How the series and the nodes fit together, for the start-up log and the dry run.
struct SignalReport {
  MetricSignal signal = MetricSignal::kCpu;
  bool answered = false;  // at least one answer since start
  std::string error;      // of the last poll; empty when it went well
  std::vector<std::pair<std::string, MissingReason>> nodes_without;  // sorted by name
  std::size_t series_without_node = 0;
  std::size_t series_ambiguous = 0;
  std::vector<std::string> examples;  // label sets of series without a single node, at most 5
};
// One line a signal, names cut off after 10.
std::string FormatReport(const std::vector<SignalReport>& report);

class MetricsPoller {
 public:
  // The nodes as they are now; called on the io_context for each answer. Must not block.
  using NodeSource = std::function<std::vector<NodeIdentity>()>;

  // `io`, `registry` and `clock` must outlive it.
  MetricsPoller(boost::asio::io_context& io, MetricsConfig config, NodeSource nodes,
                Registry& registry, const Clock& clock = Clock::Real());
  ~MetricsPoller();  // stops; `nodes` is not called again once this returns
  MetricsPoller(const MetricsPoller&) = delete;
  MetricsPoller& operator=(const MetricsPoller&) = delete;

  // Asks at once, then every interval. Queries of one signal never overlap. Once only.
  void Start();
  void Stop();  // thread-safe, may be called twice

  // Never null, never waits for the network. Thread-safe.
  std::shared_ptr<const MetricsSnapshot> Snapshot() const;

  // Blocks until each signal was answered or refused once, for programs that run once; false when
  // that took longer than `limit`. Not on the io_context.
  bool WaitForFirstRound(std::chrono::milliseconds limit) const;

  std::vector<SignalReport> Report() const;  // thread-safe

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace leadline

// What was measured on each node, frozen: all that a scheduling cycle reads of the metrics.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "leadline/base/clock.h"
#include "leadline/telemetry/metrics_config.h"

namespace leadline {

// Why a node has no value; missing is not zero. The names are metric label values.
enum class MissingReason {
  kNone,           // "ok": not missing
  kNotConfigured,  // "not_configured": no query for this signal
  kNoAnswer,       // "no_answer": Prometheus never answered since start
  kUnknownNode,    // "unknown_node": the node is newer than the last answer
  kAbsent,         // "absent": Prometheus has no series for this node
  kStale,          // "stale": older than max_age
  kNotANumber,     // "not_a_number": NaN or infinite
  kDuplicate,      // "duplicate": two series equally new, with different values
  kOutOfRange,     // "out_of_range": implausible, most likely another unit
  kNoTimestamp,    // "no_timestamp": the timestamp query has no series for this node
  kAheadOfTime,    // "ahead_of_time": stamped in Prometheus's future by more than max_age
  kNoCapacity,     // "no_capacity": absolute use, and the node's capacity is unknown
};
inline constexpr std::size_t kMissingReasons = 12;
std::string_view MissingReasonName(MissingReason reason);

struct Reading {
  MissingReason missing = MissingReason::kNoAnswer;
  double value = 0;  // in the signal's canonical unit; 0 when nothing was ever read
  Duration age{0};   // of the sample, by Prometheus's clock while in Prometheus, then by ours

  bool ok() const { return missing == MissingReason::kNone; }
};

using NodeReadings = std::array<Reading, kMetricSignals>;  // by MetricSignal

// Immutable, hence thread-safe.
class MetricsSnapshot {
 public:
  // The freshest value that was read, and what was wrong with the last answer.
  struct Stored {
    bool has_value = false;
    double value = 0;
    SteadyTime measured{};
    MissingReason problem = MissingReason::kNoAnswer;
  };
  using NodeStore = std::array<Stored, kMetricSignals>;
  struct StringHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Nodes = std::unordered_map<std::string, NodeStore, StringHash, std::equal_to<>>;
  // By signal; zero: the signal is not configured.
  using MaxAges = std::array<Duration, kMetricSignals>;

  MetricsSnapshot(Nodes nodes, MaxAges max_ages);

  // The value while it is no older than the signal's max_age, else the reason why there is none.
  // `now` is the caller's steady clock: ages go on growing while Prometheus is silent.
  Reading Get(std::string_view node, MetricSignal signal, SteadyTime now) const;
  // All signals of a node with one look-up.
  NodeReadings GetAll(std::string_view node, SteadyTime now) const;

  const Nodes& nodes() const { return nodes_; }

 private:
  Reading Judge(const Stored& stored, std::size_t signal, SteadyTime now) const;
  Reading Unknown(std::size_t signal) const;

  Nodes nodes_;
  MaxAges max_ages_;
};

}  // namespace leadline

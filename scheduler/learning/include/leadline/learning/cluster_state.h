// The state of every node as the policy sees it: what was measured, plus what was placed since.
//
// Between two scrapes the measurements do not move, so a burst of Pods would all run to the node
// that looked idlest. Pods placed lately therefore count by their requests until the measurements
// can have seen them, and stop counting when they end.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/decision.h"
#include "leadline/framework/snapshot.h"

namespace leadline {

// What was measured of one node; a missing value is empty, never zero.
struct NodeUsage {
  std::optional<double> cpu_ratio;  // used / capacity
  std::optional<double> memory_ratio;
  std::optional<double> latency_ms;
  SystemTime sampled{};  // of the older of the two ratios
};

using UsageLookup = std::function<NodeUsage(std::string_view node)>;

struct ClusterStateOptions {
  // A Pod counts in full when it was placed after the sample, and fades out linearly over this
  // time before it: the window that the CPU rate is taken over, about.
  std::chrono::nanoseconds settle{std::chrono::seconds(60)};
};

// Not thread-safe: used on the scheduling thread.
class ClusterStateBuilder {
 public:
  explicit ClusterStateBuilder(ClusterStateOptions options) : options_(options) {}

  // One state a node in the order of the snapshot. `version` names what `lookup` answers from:
  // nodes that did not change are taken over from the last call when it is the same.
  const std::vector<ThreeState>& Build(const Snapshot& snapshot, std::uint64_t version,
                                       const UsageLookup& lookup);

 private:
  ThreeState StateOf(const NodeInfo& node, const NodeUsage& usage) const;

  ClusterStateOptions options_;
  std::uint64_t version_ = 0;
  SeenNodes seen_;  // as states_ was made from them
  std::vector<ThreeState> states_;
};

// When the Pod was bound, or nothing while the API server has not said so (an assumed Pod).
std::optional<SystemTime> PlacedAt(const Pod& pod);

}  // namespace leadline

#include "leadline/learning/cluster_state.h"

#include <algorithm>

namespace leadline {
namespace {

// The part of a Pod's use that a sample cannot have seen yet, from 0 to 1.
double Unseen(const Pod& pod, SystemTime sampled, std::chrono::nanoseconds settle) {
  const std::optional<SystemTime> placed = PlacedAt(pod);
  if (!placed || *placed >= sampled) return 1.0;
  const std::chrono::duration<double> seen = sampled - *placed, whole = settle;
  return std::clamp(1.0 - seen / whole, 0.0, 1.0);
}

std::optional<double> Plus(const std::optional<double>& ratio, double placed,
                           std::int64_t allocatable) {
  if (!ratio || allocatable <= 0) return ratio;
  return std::clamp(*ratio + placed / static_cast<double>(allocatable), 0.0, 1.0);
}

}  // namespace

std::optional<SystemTime> PlacedAt(const Pod& pod) {
  const PodCondition* scheduled = pod.FindCondition("PodScheduled");
  if (scheduled == nullptr || scheduled->status != "True") return std::nullopt;
  return scheduled->last_transition;
}

const std::vector<ThreeState>& ClusterStateBuilder::Build(const Snapshot& snapshot,
                                                          std::uint64_t version,
                                                          const UsageLookup& lookup) {
  const Snapshot::Nodes& nodes = snapshot.nodes();
  if (version != version_) seen_ = {};
  version_ = version;
  states_.resize(nodes.size());
  seen_.Update(nodes, [&](std::size_t place, const NodeInfo& node) {
    states_[place] = StateOf(node, lookup(node.name()));
  });
  return states_;
}

ThreeState ClusterStateBuilder::StateOf(const NodeInfo& node, const NodeUsage& usage) const {
  double milli_cpu = 0, memory = 0;
  for (const auto& pod : node.pods()) {
    const double unseen = Unseen(*pod->pod, usage.sampled, options_.settle);
    milli_cpu += unseen * static_cast<double>(pod->non_zero.milli_cpu);
    memory += unseen * static_cast<double>(pod->non_zero.memory);
  }
  return {Plus(usage.cpu_ratio, milli_cpu, node.allocatable().milli_cpu),
          Plus(usage.memory_ratio, memory, node.allocatable().memory), usage.latency_ms};
}

}  // namespace leadline

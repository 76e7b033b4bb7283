// The Filter half of PodTopologySpread.
#include "pod_topology_spread.h"

#include <algorithm>
#include <unordered_map>

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterPodTopologySpread";

// Matching Pods by domain of one constraint: of every domain that counts, also without any.
struct Domains {
  std::unordered_map<std::string, int> counts;
  int least = 0;

  void FindLeast(int min_domains) {
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto least_at = std::min_element(counts.begin(), counts.end(), fewer);
    const bool enough = counts.size() >= static_cast<std::size_t>(min_domains);
    least = least_at != counts.end() && enough ? least_at->second : 0;
  }
};

struct FilterState {
  std::vector<SpreadConstraint> constraints;
  std::vector<Domains> domains;  // one a constraint
};

void Count(const Pod& pod, const Pod& other, const Node& node, int count, FilterState* state) {
  if (other.metadata.namespace_name != pod.metadata.namespace_name) return;
  if (!HasAllKeys(node, state->constraints)) return;
  for (std::size_t i = 0; i < state->constraints.size(); ++i) {
    const SpreadConstraint& constraint = state->constraints[i];
    if (!constraint.Selects(other) || !constraint.Includes(pod, node)) continue;
    Domains& domains = state->domains[i];
    domains.counts[*TopologyValue(node, constraint.topology_key)] += count;
    domains.FindLeast(constraint.min_domains);
  }
}

}  // namespace

std::vector<SpreadConstraint> PodTopologySpread::Constraints(const Pod& pod, bool hard) const {
  return pod.spec.spread_constraints.empty()
             ? DefaultConstraintsFor(pod, args_.defaults, hard, listers_)
             : ConstraintsOf(pod, hard);
}

const std::vector<int>& PodTopologySpread::Counts(const Snapshot& snapshot,
                                                  const SpreadConstraint& constraint,
                                                  const Pod& pod) {
  return counts_.Get(constraint.CountKey(pod), snapshot,
                     [&](const NodeInfo& node) { return constraint.CountOn(node, pod); });
}

Status PodTopologySpread::PreFilter(CycleState& cycle, const PodInfo& info, PreFilterResult*) {
  const Pod& pod = *info.pod;
  FilterState state;
  state.constraints = Constraints(pod, true);
  if (state.constraints.empty()) return Status::Skip();
  state.domains.resize(state.constraints.size());
  const auto& nodes = cycle.snapshot().nodes();
  std::vector<bool> has_keys(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    has_keys[n] = HasAllKeys(nodes[n]->node(), state.constraints);
  }
  for (std::size_t i = 0; i < state.constraints.size(); ++i) {
    const SpreadConstraint& constraint = state.constraints[i];
    const std::vector<int>& counts = Counts(cycle.snapshot(), constraint, pod);
    Domains& domains = state.domains[i];
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Node& node = nodes[n]->node();
      if (!has_keys[n] || !constraint.Includes(pod, node)) continue;
      domains.counts[*TopologyValue(node, constraint.topology_key)] += counts[n];
    }
    domains.FindLeast(constraint.min_domains);
  }
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status PodTopologySpread::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                 const NodeInfo& node) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    Count(*pod.pod, *added.pod, node.node(), 1, state);
  }
  return {};
}

Status PodTopologySpread::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                    const NodeInfo& node) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    Count(*pod.pod, *removed.pod, node.node(), -1, state);
  }
  return {};
}

// A node that does not count is judged all the same, by the count of its domain.
Status PodTopologySpread::Filter(const CycleState& cycle, const PodInfo&, const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  for (std::size_t i = 0; i < state->constraints.size(); ++i) {
    const SpreadConstraint& constraint = state->constraints[i];
    const Domains& domains = state->domains[i];
    const std::string* value = TopologyValue(node.node(), constraint.topology_key);
    if (value == nullptr) {
      return Status(
          Status::Code::kUnschedulableAndUnresolvable,
          "node(s) didn't match pod topology spread constraints (missing required label)");
    }
    const auto found = domains.counts.find(*value);
    const int count = found == domains.counts.end() ? 0 : found->second;
    if (count + (constraint.selects_itself ? 1 : 0) - domains.least > constraint.max_skew) {
      return Status(Status::Code::kUnschedulable,
                    "node(s) didn't match pod topology spread constraints");
    }
  }
  return {};
}

std::vector<ClusterEvent> PodTopologySpread::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodAdd,    ClusterEvent::kAssignedPodUpdate,
          ClusterEvent::kAssignedPodDelete, ClusterEvent::kUnscheduledPodUpdate,
          ClusterEvent::kNodeAdd,           ClusterEvent::kNodeDelete,
          ClusterEvent::kNodeLabelUpdate,   ClusterEvent::kNodeTaintUpdate};
}

bool PodTopologySpread::Helps(const Pod& waiting, const ClusterChange& change) const {
  const std::vector<SpreadConstraint> constraints = Constraints(waiting, true);
  if (change.node != nullptr) {
    const Node& now = *change.node;
    const bool suits = HasAllKeys(now, constraints);
    if (change.old_node == nullptr || change.event == ClusterEvent::kNodeDelete) return suits;
    const Node& old = *change.old_node;
    if (HasAllKeys(old, constraints) != suits) return true;
    const auto moved = [&](const SpreadConstraint& one) {
      return *TopologyValue(old, one.topology_key) != *TopologyValue(now, one.topology_key);
    };
    // Any label and any taint may bring the node into a constraint's policies, or out of them.
    return suits && (old.taints != now.taints || old.metadata.labels != now.metadata.labels ||
                     std::any_of(constraints.begin(), constraints.end(), moved));
  }
  if (change.pod == nullptr) return true;
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    // Its labels choose the selectors, too; its tolerations the nodes that count.
    const Pod &old = *change.old_pod, &now = *change.pod;
    return old.metadata.labels != now.metadata.labels ||
           old.spec.tolerations != now.spec.tolerations;
  }
  if (change.pod->metadata.namespace_name != waiting.metadata.namespace_name) return false;
  const auto selected = [&](const SpreadConstraint& one, const Pod& pod) {
    // A Pod that begins to end no longer counts.
    return one.Selects(pod) && !pod.metadata.deleting;
  };
  return std::any_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& one) {
    if (change.event == ClusterEvent::kAssignedPodUpdate && change.old_pod != nullptr) {
      return selected(one, *change.old_pod) != selected(one, *change.pod);
    }
    return one.Selects(*change.pod);
  });
}

}  // namespace leadline

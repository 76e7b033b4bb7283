// The Filter half of PodTopologySpread.
#include "pod_topology_spread.h"

#include <algorithm>
#include <limits>

#include "tally.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterPodTopologySpread";

// Matching Pods by domain of one hard constraint. Copies are cheap: they share what was counted.
class Hard {
 public:
  Hard(const SpreadConstraint& constraint, const std::shared_ptr<const Domains>& domains)
      : max_skew_(constraint.max_skew),
        min_domains_(constraint.min_domains),
        itself_(constraint.selects_itself ? 1 : 0),
        tally_(domains),
        counted_(std::make_shared<std::vector<char>>(domains->size())) {}

  const Domains& domains() const { return tally_.domains(); }

  void Add(int domain, int pods) {
    tally_.Add(domain, pods);
    char& counted = (*counted_)[static_cast<std::size_t>(domain)];
    if (counted == 0) ++size_;
    counted = 1;
  }

  // After all Add()s, before anything else.
  void FindLeast() {
    least_ = std::numeric_limits<std::int64_t>::max();
    for (std::size_t domain = 0; domain < counted_->size(); ++domain) {
      if ((*counted_)[domain] == 0) continue;
      const std::int64_t pods = tally_.At(static_cast<int>(domain));
      if (pods < least_) at_least_ = 0;
      least_ = std::min(least_, pods);
      if (pods == least_) ++at_least_;
    }
  }

  // A Pod more or less on a node that counts.
  void Change(int domain, int by) {
    if (domain < 0 || (*counted_)[static_cast<std::size_t>(domain)] == 0) return;
    const std::int64_t before = tally_.At(domain), after = before + by;
    tally_.Change(domain, by);
    if (before == least_) --at_least_;
    if (after < least_) {
      least_ = after;
      at_least_ = 1;
    } else if (after == least_) {
      ++at_least_;
    }
    if (at_least_ == 0) FindLeast();
  }

  // Too few domains, or none: then the minimum is 0.
  bool Allows(int domain) const {
    const std::int64_t least = size_ == 0 || size_ < min_domains_ ? 0 : least_;
    return tally_.At(domain) + itself_ - least <= max_skew_;
  }

 private:
  int max_skew_;
  int min_domains_;
  int itself_;
  Tally tally_;
  std::shared_ptr<std::vector<char>> counted_;  // by domain: some node in it counts
  int size_ = 0;                                // domains that count
  std::int64_t least_ = 0;                      // of them all
  int at_least_ = 0;                            // so many have no more
};

struct FilterState {
  std::shared_ptr<const std::vector<SpreadConstraint>> constraints;
  std::vector<Hard> hard;  // one a constraint
};

bool HasAllKeys(const std::vector<Hard>& hard, std::size_t row) {
  return std::all_of(hard.begin(), hard.end(),
                     [row](const Hard& one) { return one.domains().Of(row) != Domains::kNoKey; });
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
  auto constraints = std::make_shared<const std::vector<SpreadConstraint>>(Constraints(pod, true));
  if (constraints->empty()) return Status::Skip();
  const Snapshot& snapshot = cycle.snapshot();
  topology_.Update(snapshot);
  FilterState state{std::move(constraints), {}};
  for (const SpreadConstraint& one : *state.constraints) {
    state.hard.emplace_back(one, topology_.DomainsOf(one.topology_key));
  }
  const auto& nodes = snapshot.nodes();
  std::vector<char> has_keys(nodes.size());
  for (std::size_t row = 0; row < nodes.size(); ++row) has_keys[row] = HasAllKeys(state.hard, row);
  for (std::size_t i = 0; i < state.hard.size(); ++i) {
    const SpreadConstraint& constraint = (*state.constraints)[i];
    const std::vector<int>& counts = Counts(snapshot, constraint, pod);
    const bool every = constraint.IncludesEvery(pod);
    Hard& hard = state.hard[i];
    for (std::size_t row = 0; row < nodes.size(); ++row) {
      if (has_keys[row] == 0) continue;
      if (!every && !constraint.Includes(pod, nodes[row]->node())) continue;
      hard.Add(hard.domains().Of(row), counts[row]);
    }
    hard.FindLeast();
  }
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status PodTopologySpread::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                 const NodeInfo& node) {
  Change(cycle, *pod.pod, *added.pod, node, 1);
  return {};
}

Status PodTopologySpread::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                    const NodeInfo& node) {
  Change(cycle, *pod.pod, *removed.pod, node, -1);
  return {};
}

// Only what PreFilter would count: kube-scheduler also takes away Pods that are terminating, which
// it never counted, and those that the empty selector selects.
void PodTopologySpread::Change(CycleState& cycle, const Pod& pod, const Pod& other,
                               const NodeInfo& node, int by) const {
  auto* state = cycle.Mutable<FilterState>(kStateKey);
  if (state == nullptr || !HasAllKeys(node.node(), *state->constraints)) return;
  for (std::size_t i = 0; i < state->hard.size(); ++i) {
    const SpreadConstraint& constraint = (*state->constraints)[i];
    if (!constraint.Counts(other, pod) || !constraint.Includes(pod, node.node())) continue;
    state->hard[i].Change(topology_.DomainOf(state->hard[i].domains(), node), by);
  }
}

// A node that does not count is judged all the same, by the count of its domain.
Status PodTopologySpread::Filter(const CycleState& cycle, const PodInfo&, const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  for (const Hard& hard : state->hard) {
    const int domain = topology_.DomainOf(hard.domains(), node);
    if (domain == Domains::kNoKey) {
      return Status(
          Status::Code::kUnschedulableAndUnresolvable,
          "node(s) didn't match pod topology spread constraints (missing required label)");
    }
    if (!hard.Allows(domain)) {
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

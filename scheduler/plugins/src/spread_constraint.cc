#include "spread_constraint.h"

#include <algorithm>

#include "affinity_term.h"

namespace leadline {
namespace {

using Operator = Requirement::Operator;

bool Blocks(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

// matchLabelKeys: the Pod's own values, ANDed. The API server merges them into the selector too.
void MergeMatchLabelKeys(const TopologySpreadConstraint& from, const Pod& pod,
                         LabelSelector* selector) {
  for (const std::string& key : from.match_label_keys) {
    const auto label = pod.metadata.labels.find(key);
    if (label == pod.metadata.labels.end()) continue;
    selector->requirements.push_back({key, Operator::kIn, {label->second}});
  }
}

SpreadConstraint Make(const TopologySpreadConstraint& from, const Pod& pod) {
  SpreadConstraint made;
  made.max_skew = from.max_skew;
  made.topology_key = from.topology_key;
  made.min_domains = from.min_domains.value_or(1);
  made.honor_affinity = from.node_affinity_policy != "Ignore";
  made.honor_taints = from.node_taints_policy == "Honor";
  made.selector = from.label_selector;
  if (made.selector) MergeMatchLabelKeys(from, pod, &*made.selector);
  made.selects_itself = made.Selects(pod);
  return made;
}

void Require(const LabelSelector& more, LabelSelector* selector) {
  selector->requirements.insert(selector->requirements.end(), more.requirements.begin(),
                                more.requirements.end());
}

const Store<Workload>* OwnersOf(const std::string& kind, const Listers& listers) {
  if (kind == "ReplicationController") return &listers.replication_controllers;
  if (kind == "ReplicaSet") return &listers.replica_sets;
  if (kind == "StatefulSet") return &listers.stateful_sets;
  return nullptr;
}

// k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper, DefaultSelector.
LabelSelector SelectorOfOwners(const Pod& pod, const Listers& listers) {
  LabelSelector selector;
  const std::string& space = pod.metadata.namespace_name;
  for (const auto& service : listers.services.List()) {
    if (service->metadata.namespace_name != space || !service->selector) continue;
    if (service->selector->Matches(pod.metadata.labels)) Require(*service->selector, &selector);
  }
  for (const OwnerReference& owner : pod.metadata.owners) {
    const Store<Workload>* store = owner.controller ? OwnersOf(owner.kind, listers) : nullptr;
    if (store == nullptr) continue;
    const auto found = store->Get(space + "/" + owner.name);
    if (found != nullptr && found->selector) Require(*found->selector, &selector);
  }
  return selector;
}

}  // namespace

bool SpreadConstraint::Includes(const Pod& pod, const Node& node) const {
  if (honor_affinity && !MatchesRequiredNodeAffinity(pod, node)) return false;
  return !honor_taints ||
         std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
           return !Blocks(taint) || AnyTolerates(pod.spec.tolerations, taint);
         });
}

bool SpreadConstraint::Selects(const Pod& other) const {
  return selector && selector->Matches(other.metadata.labels);
}

bool SpreadConstraint::IncludesEvery(const Pod& pod) const {
  const bool selects = pod.spec.node_affinity.required || !pod.spec.node_selector.empty();
  return !honor_taints && !(honor_affinity && selects);
}

bool SpreadConstraint::Counts(const Pod& other, const Pod& pod) const {
  const ObjectMeta& metadata = other.metadata;
  return selector && !selector->requirements.empty() && !metadata.deleting &&
         metadata.namespace_name == pod.metadata.namespace_name &&
         selector->Matches(metadata.labels);
}

int SpreadConstraint::CountOn(const NodeInfo& node, const Pod& pod) const {
  return static_cast<int>(
      std::count_if(node.pods().begin(), node.pods().end(),
                    [&](const auto& other) { return Counts(*other->pod, pod); }));
}

std::string SpreadConstraint::CountKey(const Pod& pod) const {
  return pod.metadata.namespace_name + "/" + (selector ? SelectorKey(*selector) : "");
}

std::vector<SpreadConstraint> ConstraintsOf(const Pod& pod, bool hard) {
  std::vector<SpreadConstraint> constraints;
  for (const TopologySpreadConstraint& one : pod.spec.spread_constraints) {
    if (one.do_not_schedule == hard) constraints.push_back(Make(one, pod));
  }
  return constraints;
}

std::vector<SpreadConstraint> DefaultConstraintsFor(
    const Pod& pod, const std::vector<TopologySpreadConstraint>& defaults, bool hard,
    const Listers& listers) {
  std::vector<SpreadConstraint> constraints;
  for (const TopologySpreadConstraint& one : defaults) {
    if (one.do_not_schedule == hard) constraints.push_back(Make(one, pod));
  }
  if (constraints.empty()) return {};
  const LabelSelector selector = SelectorOfOwners(pod, listers);
  if (selector.requirements.empty()) return {};
  for (SpreadConstraint& constraint : constraints) {
    constraint.selector = selector;
    constraint.selects_itself = constraint.Selects(pod);
  }
  return constraints;
}

const std::string* TopologyValue(const Node& node, const std::string& key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? nullptr : &found->second;
}

bool HasAllKeys(const Node& node, const std::vector<SpreadConstraint>& constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& one) {
    return TopologyValue(node, one.topology_key) != nullptr;
  });
}

}  // namespace leadline

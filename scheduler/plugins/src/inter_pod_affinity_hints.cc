// Which events wake a Pod that InterPodAffinity turned down.
#include <algorithm>

#include "inter_pod_affinity.h"

namespace leadline {
namespace {

bool HasNamespaceSelector(const std::vector<PodAffinityTerm>& terms) {
  return std::any_of(terms.begin(), terms.end(), [](const PodAffinityTerm& term) {
    return term.namespace_selector.has_value();
  });
}

// A node came, moved between domains of the key, or came into one (`may_come`) or out of one.
bool DomainChanged(const std::string& key, const Node* old, const Node& now, bool may_come) {
  const StringMap& labels = now.metadata.labels;
  const auto value = labels.find(key);
  // A node that is outside all domains of the key suits anti-affinity.
  if (old == nullptr) return !may_come || value != labels.end();
  const auto before = old->metadata.labels.find(key);
  const bool had = before != old->metadata.labels.end(), has = value != labels.end();
  if (had && has) return before->second != value->second;
  return may_come ? has && !had : had && !has;
}

bool AnyDomainChanged(const std::vector<PodAffinityTerm>& terms, const ClusterChange& change,
                      bool may_come) {
  return std::any_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
    return DomainChanged(term.topology_key, change.old_node.get(), *change.node, may_come);
  });
}

}  // namespace

std::vector<ClusterEvent> InterPodAffinity::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodAdd,    ClusterEvent::kAssignedPodUpdate,
          ClusterEvent::kAssignedPodDelete, ClusterEvent::kUnscheduledPodUpdate,
          ClusterEvent::kNodeAdd,           ClusterEvent::kNodeLabelUpdate,
          ClusterEvent::kNamespaceChange};
}

bool InterPodAffinity::Helps(const Pod& waiting, const ClusterChange& change) const {
  const auto& near = waiting.spec.pod_affinity.required;
  const auto& far = waiting.spec.pod_anti_affinity.required;
  if (change.event == ClusterEvent::kNamespaceChange) {
    // Labels of the Pod's own namespace matter to the terms of others.
    return HasNamespaceSelector(near) || HasNamespaceSelector(far) || near.empty();
  }
  if (change.node != nullptr) {
    if (AnyDomainChanged(near, change, true) || AnyDomainChanged(far, change, false)) return true;
    // What others have against the Pod may not reach as far as this node.
    return near.empty() && far.empty();
  }
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    return change.old_pod->metadata.labels != change.pod->metadata.labels;
  }
  if (change.pod == nullptr) return true;
  const auto affinity = Resolve(near, waiting, listers_);
  const auto anti_affinity = Resolve(far, waiting, listers_);
  if (change.event == ClusterEvent::kAssignedPodAdd) return MatchesAll(affinity, *change.pod);
  if (change.event == ClusterEvent::kAssignedPodUpdate) {
    if (change.old_pod == nullptr) return true;
    const Pod &old = *change.old_pod, &now = *change.pod;
    const bool was = MatchesAll(affinity, old), is = MatchesAll(affinity, now);
    // One term that lets go may free a domain, whatever the others say.
    return (!was && is) || (was && !is && MatchesAll(affinity, waiting)) ||
           std::any_of(anti_affinity.begin(), anti_affinity.end(), [&](const ResolvedTerm& term) {
             return term.Matches(old) && !term.Matches(now);
           });
  }
  // Gone: one that the Pod avoided, or that kept the Pod away, or the last of a group of which the
  // Pod may be the first again.
  const StringMap labels = NamespaceLabels(waiting, listers_);
  const auto& theirs = change.pod->spec.pod_anti_affinity.required;
  return MatchesAny(anti_affinity, *change.pod) ||
         (MatchesAll(affinity, *change.pod) && MatchesAll(affinity, waiting)) ||
         std::any_of(theirs.begin(), theirs.end(), [&](const PodAffinityTerm& term) {
           return TermMatches(term, *change.pod, waiting, labels);
         });
}

}  // namespace leadline

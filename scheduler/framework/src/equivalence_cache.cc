#include "equivalence_cache.h"

#include <algorithm>

namespace leadline {
namespace {

constexpr std::size_t kMaxClasses = 8;  // workloads that are rolled out at the same time

// Everything that a NodeLocal plugin may read of a Pod.
bool Alike(const PodInfo& a, const PodInfo& b) {
  const PodSpec& x = a.pod->spec;
  const PodSpec& y = b.pod->spec;
  return a.requests == b.requests && a.bound_requests == b.bound_requests &&
         a.non_zero == b.non_zero && x.node_name == y.node_name &&
         x.node_selector == y.node_selector && x.node_affinity == y.node_affinity &&
         x.tolerations == y.tolerations && x.containers == y.containers &&
         x.init_containers == y.init_containers && x.host_network == y.host_network &&
         x.host_users == y.host_users;
}

}  // namespace

void EquivalenceClass::Update(const Snapshot& snapshot) {
  seen.Update(snapshot.nodes(), [this](std::size_t place, const NodeInfo&) {
    verdicts.Forget(place);
    for (auto& of_plugin : scores) of_plugin.Forget(place);
  });
}

EquivalenceClass* EquivalenceCache::Find(const PodInfo& pod, const Snapshot& snapshot) {
  const auto found =
      std::find_if(classes_.begin(), classes_.end(),
                   [&](const EquivalenceClass& one) { return Alike(one.like, pod); });
  if (found != classes_.end()) {
    classes_.splice(classes_.begin(), classes_, found);
    if (found->like.uid() == pod.uid()) return nullptr;
    found->Update(snapshot);
    return &*found;
  }
  if (classes_.size() == kMaxClasses) classes_.pop_back();
  classes_.emplace_front(pod);
  return nullptr;
}

}  // namespace leadline

// Which events wake a Pod that NodeResourcesFit turned down.
#include <algorithm>

#include "node_resources_fit.h"

namespace leadline {
namespace {

// Whether there is more than before of anything that is wanted.
bool GrewForWanted(const Resource& wanted, const Resource& before, const Resource& now) {
  return (wanted.milli_cpu > 0 && now.milli_cpu > before.milli_cpu) ||
         (wanted.memory > 0 && now.memory > before.memory) ||
         (wanted.ephemeral_storage > 0 && now.ephemeral_storage > before.ephemeral_storage) ||
         std::any_of(wanted.scalars.begin(), wanted.scalars.end(), [&](const auto& amount) {
           return amount.second > 0 && now.Scalar(amount.first) > before.Scalar(amount.first);
         });
}

}  // namespace

std::vector<ClusterEvent> NodeResourcesFit::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodDelete, ClusterEvent::kAssignedPodUpdate,
          ClusterEvent::kUnscheduledPodUpdate, ClusterEvent::kNodeAdd,
          ClusterEvent::kNodeAllocatableUpdate};
}

bool NodeResourcesFit::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.event == ClusterEvent::kAssignedPodDelete) return true;
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    const Resource before = ToResource(PodRequests(*change.old_pod));
    return GrewForWanted(before, ToResource(PodRequests(*change.pod)), before);
  }
  const Resource wanted = ToResource(PodRequests(waiting));
  if (change.event == ClusterEvent::kAssignedPodUpdate) {  // it may hold less than before
    return GrewForWanted(wanted, ToResource(BoundPodRequests(*change.pod)),
                         ToResource(BoundPodRequests(*change.old_pod)));
  }
  // A node that would be too small even without its Pods does not help.
  const NodeInfo node(change.node);
  if (!Judge(wanted, node).ok()) return false;
  if (change.old_node == nullptr) return true;
  const Resource before = ToResource(change.old_node->allocatable);
  return node.allocatable().allowed_pods > before.allowed_pods ||
         GrewForWanted(wanted, before, node.allocatable());
}

}  // namespace leadline

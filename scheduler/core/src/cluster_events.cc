#include "leadline/core/cluster_events.h"

#include "leadline/framework/resource.h"

namespace leadline {

std::vector<ClusterEvent> NodeEvents(const Node& old, const Node& node) {
  std::vector<ClusterEvent> events;
  if (old.allocatable != node.allocatable) events.push_back(ClusterEvent::kNodeAllocatableUpdate);
  if (old.metadata.labels != node.metadata.labels) {
    events.push_back(ClusterEvent::kNodeLabelUpdate);
  }
  if (old.taints != node.taints || old.unschedulable != node.unschedulable) {
    events.push_back(ClusterEvent::kNodeTaintUpdate);
  }
  if (old.declared_features != node.declared_features) {
    events.push_back(ClusterEvent::kNodeDeclaredFeatureUpdate);
  }
  return events;
}

bool WaitingPodChanged(const Pod& old, const Pod& pod) {
  return !(old.spec == pod.spec) || old.metadata.labels != pod.metadata.labels ||
         old.metadata.annotations != pod.metadata.annotations ||
         old.metadata.deleting != pod.metadata.deleting;
}

bool AssignedPodChanged(const Pod& old, const Pod& pod) {
  return old.metadata.labels != pod.metadata.labels ||
         old.metadata.deleting != pod.metadata.deleting ||
         BoundPodRequests(old) != BoundPodRequests(pod);
}

}  // namespace leadline

// What may have made a waiting Pod schedulable.
// k8s.io/kube-scheduler/framework, ClusterEvent.
#pragma once

#include <memory>
#include <string_view>

namespace leadline {

struct Node;
struct Pod;

enum class ClusterEvent {
  kNodeAdd,
  kNodeDelete,
  kNodeAllocatableUpdate,
  kNodeLabelUpdate,
  kNodeTaintUpdate,  // taints or spec.unschedulable
  kNodeDeclaredFeatureUpdate,
  kAssignedPodAdd,
  kAssignedPodUpdate,  // scaled down, labels changed
  kAssignedPodDelete,
  kUnscheduledPodUpdate,  // the waiting Pod itself
  kUnscheduledPodAdd,
  kNamespaceChange,  // added, or its labels changed
  kClaimChange,      // the rest: added or updated
  kVolumeChange,
  kStorageClassChange,
  kCsiNodeChange,
  kCsiDriverChange,
  kStorageCapacityChange,
  kVolumeAttachmentDelete,
};
inline constexpr int kClusterEvents = 19;
// As kube-scheduler's metrics label it.
std::string_view ClusterEventName(ClusterEvent event);

// An event with its object before and after, where it is of a Node or a Pod: null before an
// addition; a deletion has it as last known in both.
struct ClusterChange {
  ClusterEvent event;
  std::shared_ptr<const Pod> old_pod, pod;
  std::shared_ptr<const Node> old_node, node;
};

}  // namespace leadline

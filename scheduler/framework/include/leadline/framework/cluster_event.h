// What may have made a waiting Pod schedulable.
// k8s.io/kube-scheduler/framework, ClusterEvent.
#pragma once

#include <memory>
#include <string_view>

namespace leadline {

struct CsiDriver;
struct CsiNode;
struct CsiStorageCapacity;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct StorageClass;
struct VolumeAttachment;

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
  kUnscheduledPodUpdate,  // the waiting Pod itself; has old_pod and pod
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

// An event with its object before and after, for the kinds below: null before an addition; a
// deletion has it as last known in both. Events of Pods and nodes always have theirs.
struct ClusterChange {
  ClusterEvent event;
  std::shared_ptr<const Pod> old_pod = nullptr, pod = nullptr;
  std::shared_ptr<const Node> old_node = nullptr, node = nullptr;
  std::shared_ptr<const PersistentVolumeClaim> old_claim = nullptr, claim = nullptr;
  std::shared_ptr<const PersistentVolume> old_volume = nullptr, volume = nullptr;
  std::shared_ptr<const StorageClass> old_storage_class = nullptr, storage_class = nullptr;
  std::shared_ptr<const CsiNode> old_csi_node = nullptr, csi_node = nullptr;
  std::shared_ptr<const CsiDriver> old_csi_driver = nullptr, csi_driver = nullptr;
  std::shared_ptr<const CsiStorageCapacity> old_storage_capacity = nullptr,
                                            storage_capacity = nullptr;
  std::shared_ptr<const VolumeAttachment> old_volume_attachment = nullptr,
                                          volume_attachment = nullptr;
};

}  // namespace leadline

#include "leadline/framework/cluster_event.h"

#include <array>

namespace leadline {

std::string_view ClusterEventName(ClusterEvent event) {
  static constexpr std::array<std::string_view, kClusterEvents> kNames = {
      "NodeAdd",
      "NodeDelete",
      "NodeUpdateNodeAllocatable",
      "NodeUpdateNodeLabel",
      "NodeUpdateNodeTaint",
      "NodeUpdateNodeDeclaredFeature",
      "AssignedPodAdd",
      "AssignedPodUpdate",
      "AssignedPodDelete",
      "UnscheduledPodUpdate",
      "UnscheduledPodAdd",
      "NamespaceChange",
      "PersistentVolumeClaimChange",
      "PersistentVolumeChange",
      "StorageClassChange",
      "CSINodeChange",
      "CSIDriverChange",
      "CSIStorageCapacityChange",
      "VolumeAttachmentDelete",
  };
  return kNames[static_cast<std::size_t>(event)];
}

}  // namespace leadline

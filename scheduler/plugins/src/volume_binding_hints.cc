// Which events wake a Pod that VolumeBinding turned down.
#include "pod_claims.h"
#include "volume_binding.h"

namespace leadline {
namespace {

std::string_view MigratedPlugins(const CsiNode& node) {
  const auto& annotations = node.metadata.annotations;
  const auto found = annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  return found == annotations.end() ? std::string_view() : found->second;
}

bool Grew(const CsiStorageCapacity& old, const CsiStorageCapacity& now) {
  const auto before = old.VolumeLimit(), after = now.VolumeLimit();
  return after && (!before || after->Value() > before->Value());
}

}  // namespace

std::vector<ClusterEvent> VolumeBinding::EventsToRegister() const {
  return {ClusterEvent::kStorageClassChange, ClusterEvent::kClaimChange,
          ClusterEvent::kVolumeChange,       ClusterEvent::kNodeAdd,
          ClusterEvent::kNodeLabelUpdate,    ClusterEvent::kCsiNodeChange,
          ClusterEvent::kCsiDriverChange,    ClusterEvent::kStorageCapacityChange};
}

bool VolumeBinding::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.claim != nullptr) return NamesClaimOrEphemeral(waiting, *change.claim);
  if (change.storage_class != nullptr && change.old_storage_class != nullptr) {
    return change.storage_class->allowed_topologies != change.old_storage_class->allowed_topologies;
  }
  if (change.csi_node != nullptr && change.old_csi_node != nullptr) {
    return MigratedPlugins(*change.csi_node) != MigratedPlugins(*change.old_csi_node);
  }
  if (change.storage_capacity != nullptr && change.old_storage_capacity != nullptr) {
    return Grew(*change.old_storage_capacity, *change.storage_capacity);
  }
  if (change.csi_driver != nullptr) {
    // kube-scheduler wakes only Pods with inline volumes of the driver, which have no claims.
    return change.old_csi_driver != nullptr && change.old_csi_driver->storage_capacity &&
           !change.csi_driver->storage_capacity;
  }
  return true;
}

}  // namespace leadline

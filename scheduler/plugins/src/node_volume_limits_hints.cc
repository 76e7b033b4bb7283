// Which events wake a Pod that NodeVolumeLimits turned down.
#include <algorithm>

#include "csi_migration.h"
#include "node_volume_limits.h"
#include "pod_claims.h"

namespace leadline {
namespace {

// Whether a driver came, or may attach more than before. kube-scheduler misses a limit that went
// altogether, and a driver without one.
bool LimitsRaised(const CsiNode& old, const CsiNode& now) {
  return std::any_of(now.drivers.begin(), now.drivers.end(), [&](const CsiNode::Driver& driver) {
    const CsiNode::Driver* before = old.FindDriver(driver.name);
    if (before == nullptr) return true;
    if (!before->allocatable) return false;
    return !driver.allocatable || *driver.allocatable > *before->allocatable;
  });
}

// Whether a volume less on a node may leave room for one of the Pod's.
bool MayNeed(const Pod& waiting, const VolumeAttachment& gone) {
  const auto& volumes = waiting.spec.volumes;
  return std::any_of(volumes.begin(), volumes.end(), [&](const Volume& volume) {
    return UsesClaim(volume) ||
           (IsMigrated(volume) && CountedDriverOfKind(volume.kind) == gone.attacher);
  });
}

}  // namespace

std::vector<ClusterEvent> NodeVolumeLimits::EventsToRegister() const {
  return {ClusterEvent::kCsiNodeChange, ClusterEvent::kCsiDriverChange,
          ClusterEvent::kAssignedPodDelete, ClusterEvent::kClaimChange,
          ClusterEvent::kVolumeAttachmentDelete};
}

bool NodeVolumeLimits::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.csi_node != nullptr && change.old_csi_node != nullptr) {
    return LimitsRaised(*change.old_csi_node, *change.csi_node);
  }
  if (change.csi_driver != nullptr) {
    return !change.csi_driver->prevent_scheduling_if_missing;
  }
  if (change.claim != nullptr) {
    return change.old_claim == nullptr && NamesClaimOrEphemeral(waiting, *change.claim);
  }
  if (change.volume_attachment != nullptr) return MayNeed(waiting, *change.volume_attachment);
  if (change.event == ClusterEvent::kAssignedPodDelete && change.pod != nullptr) {
    const auto& volumes = change.pod->spec.volumes;
    return std::any_of(volumes.begin(), volumes.end(), MayCount);
  }
  return true;
}

}  // namespace leadline

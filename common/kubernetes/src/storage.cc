#include "leadline/kubernetes/storage.h"

#include <algorithm>

namespace leadline {

const std::string& PersistentVolumeClaim::Class() const {
  const auto old = metadata.annotations.find(kStorageClassAnnotation);
  return old == metadata.annotations.end() ? storage_class : old->second;
}

bool PersistentVolumeClaim::FullyBound() const {
  return !volume_name.empty() && metadata.annotations.count("pv.kubernetes.io/bind-completed") != 0;
}

bool ClaimReference::Names(const PersistentVolumeClaim& claim) const {
  return name == claim.metadata.name && namespace_name == claim.metadata.namespace_name &&
         (uid.empty() || uid == claim.metadata.uid);
}

const CsiNode::Driver* CsiNode::FindDriver(std::string_view name) const {
  const auto found = std::find_if(drivers.begin(), drivers.end(),
                                  [name](const Driver& driver) { return driver.name == name; });
  return found == drivers.end() ? nullptr : &*found;
}

std::optional<Quantity> CsiStorageCapacity::VolumeLimit() const {
  return maximum_volume_size ? maximum_volume_size : capacity;
}

}  // namespace leadline

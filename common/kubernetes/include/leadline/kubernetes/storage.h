// The storage objects of the cluster, as far as scheduling reads them.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/pod.h"
#include "leadline/kubernetes/quantity.h"

namespace leadline {

// Names the class of a claim or a volume in preference to the field.
inline constexpr std::string_view kStorageClassAnnotation =
    "volume.beta.kubernetes.io/storage-class";

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  std::string volume_name;    // spec.volumeName
  std::string storage_class;  // spec.storageClassName
  std::vector<std::string> access_modes;
  std::optional<Quantity> storage;  // spec.resources.requests.storage
  bool block = false;               // spec.volumeMode Block, not Filesystem
  OptionalSelector selector;        // of PersistentVolumes; none: any will do
  std::string attributes_class;     // spec.volumeAttributesClassName
  bool lost = false;                // status.phase: its PersistentVolume is gone

  // The name of its class: the annotation of before, if there is one, else the field.
  const std::string& Class() const;
  // Whether its PersistentVolume is settled: spec.volumeName alone may still be undone.
  bool FullyBound() const;
};

// spec.claimRef of a PersistentVolume.
struct ClaimReference {
  std::string namespace_name;
  std::string name;
  std::string uid;  // empty: whichever claim comes with that name
  bool Names(const PersistentVolumeClaim& claim) const;
};

struct PersistentVolume {
  ObjectMeta metadata;
  std::string storage_class;  // the annotation of before, if there is one, else the field
  Quantity capacity;
  std::vector<std::string> access_modes;
  bool block = false;                   // spec.volumeMode Block, not Filesystem
  bool available = false;               // status.phase
  std::string attributes_class;         // spec.volumeAttributesClassName
  std::optional<ClaimReference> claim;  // taken by it, or kept for it
  std::optional<std::vector<NodeSelectorTerm>> node_affinity;  // spec.nodeAffinity.required
  std::string kind;   // the source's field: "csi", "gcePersistentDisk", ...; empty: another one
  DiskSource source;  // of one that is also a Volume's
  std::string csi_driver;
  std::string csi_handle;
};

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  bool wait_for_first_consumer = false;  // volumeBindingMode
  // Where volumes can be made; terms ORed, the requirements of one ANDed. None: anywhere.
  std::vector<std::vector<Requirement>> allowed_topologies;
};

struct CsiNode {
  struct Driver {
    std::string name;
    std::optional<int> allocatable;  // how many volumes; missing: no limit
  };
  ObjectMeta metadata;  // named as the Node
  std::vector<Driver> drivers;

  // Null when the driver is not registered on the node.
  const Driver* FindDriver(std::string_view name) const;
};

struct CsiDriver {
  ObjectMeta metadata;
  bool prevent_scheduling_if_missing = false;  // preventPodSchedulingIfMissing
  bool storage_capacity = false;               // publishes how much room there is, and where
};

// How much room a driver has for one class in one part of the cluster.
struct CsiStorageCapacity {
  ObjectMeta metadata;
  std::string storage_class;
  OptionalSelector node_topology;  // none: nowhere
  std::optional<Quantity> capacity;
  std::optional<Quantity> maximum_volume_size;

  // The largest volume that can be made; nothing when that is not known.
  std::optional<Quantity> VolumeLimit() const;
};

struct VolumeAttachment {
  ObjectMeta metadata;
  std::string attacher;
  std::string node_name;
  std::string volume_name;  // of the PersistentVolume; empty: an inline volume
};

// Errors as ParsePod.
Result<PersistentVolumeClaim> ParsePersistentVolumeClaim(std::string_view json);
Result<PersistentVolume> ParsePersistentVolume(std::string_view json);
Result<StorageClass> ParseStorageClass(std::string_view json);
Result<CsiNode> ParseCsiNode(std::string_view json);
Result<CsiDriver> ParseCsiDriver(std::string_view json);
Result<CsiStorageCapacity> ParseCsiStorageCapacity(std::string_view json);
Result<VolumeAttachment> ParseVolumeAttachment(std::string_view json);

}  // namespace leadline

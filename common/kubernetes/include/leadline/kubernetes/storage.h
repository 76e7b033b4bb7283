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

namespace leadline {

struct PersistentVolumeClaim {
  ObjectMeta metadata;
  std::string volume_name;    // spec.volumeName
  std::string storage_class;  // spec.storageClassName
  std::vector<std::string> access_modes;

  // The name of its class: the annotation of before, if there is one, else the field.
  const std::string& Class() const;
};

struct PersistentVolume {
  ObjectMeta metadata;
  std::string kind;   // the source's field: "csi", "gcePersistentDisk", ...; empty: another one
  DiskSource source;  // of one that is also a Volume's
  std::string csi_driver;
  std::string csi_handle;
};

struct StorageClass {
  ObjectMeta metadata;
  std::string provisioner;
  bool wait_for_first_consumer = false;  // volumeBindingMode
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
Result<VolumeAttachment> ParseVolumeAttachment(std::string_view json);

}  // namespace leadline

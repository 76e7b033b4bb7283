// The volumes that were once built into Kubernetes, under the CSI drivers that took them over.
// k8s.io/csi-translation-lib; https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/pod.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {

// A volume as its driver knows it.
struct CsiVolume {
  std::string driver;
  std::string handle;
};

// Whether the volume in the Pod itself is of a kind that a CSI driver took over.
bool IsMigrated(const Volume& volume);

// Empty for a kind of volume ("gcePersistentDisk") or an in-tree provisioner
// ("kubernetes.io/gce-pd") whose volumes are not counted for a CSI driver.
std::string_view CountedDriverOfKind(std::string_view kind);
std::string_view CountedDriverOfProvisioner(std::string_view provisioner);
bool IsMigratedProvisioner(std::string_view provisioner);
// "kubernetes.io/gce-pd" for "gcePersistentDisk", of a counted kind; else empty.
std::string_view MigratedPluginOfKind(std::string_view kind);

// Of a counted kind. An Error in kube-scheduler's words if the volume cannot be translated.
Result<CsiVolume> TranslateInline(const Volume& volume);
Result<CsiVolume> TranslateVolume(const PersistentVolume& volume);

// The node affinity that the volume has under its driver: the zone by the driver's own label, also
// where only a label of the volume named it. Errors as TranslateVolume.
Result<std::optional<std::vector<NodeSelectorTerm>>> TranslateAffinity(
    const PersistentVolume& volume);

}  // namespace leadline

// The volumes that were once built into Kubernetes, under the CSI drivers that took them over.
// k8s.io/csi-translation-lib; https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration
#pragma once

#include <string>
#include <string_view>

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

// Of a counted kind. An Error in kube-scheduler's words if the volume cannot be translated.
Result<CsiVolume> TranslateInline(const Volume& volume);
Result<CsiVolume> TranslateVolume(const PersistentVolume& volume);

}  // namespace leadline

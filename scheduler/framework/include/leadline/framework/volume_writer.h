// What binding volumes writes to the API server.
// https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
#pragma once

#include <functional>
#include <string>

#include "leadline/base/result.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {

// Asynchronous and thread-safe. An object that is no longer as it was given (its resourceVersion)
// is not written: kConflict.
class VolumeWriter {
 public:
  // Called exactly once, from any thread, with the resourceVersion that the object has now.
  using Done = std::function<void(Result<std::string>)>;

  virtual ~VolumeWriter() = default;
  // Keeps the volume for the claim: spec.claimRef, and the mark that a controller chose it.
  virtual void KeepVolume(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
                          Done done) = 0;
  // Has a volume made for the claim that can be reached from the node: its selected-node.
  virtual void SelectNode(const PersistentVolumeClaim& claim, const std::string& node,
                          Done done) = 0;
};

// The annotations that say so.
inline constexpr std::string_view kBoundByControllerAnnotation =
    "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";

}  // namespace leadline

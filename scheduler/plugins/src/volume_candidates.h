// The PersistentVolumes that one claim could be bound to.
#pragma once

#include <memory>
#include <vector>

#include "label_index.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {

class VolumeCandidates {
 public:
  using Volume = std::shared_ptr<const PersistentVolume>;

  // `volumes` are those of the claim's class.
  VolumeCandidates(const PersistentVolumeClaim& claim, const std::vector<Volume>& volumes);

  // The one to take on a node with these labels, but none of `taken`; null when there is none. One
  // that is kept for the claim goes before all others, even when it cannot be reached from there
  // (then there is none); of the others the smallest that can, by name among equals.
  Volume BestFor(const StringMap& node_labels, const std::vector<Volume>& taken) const;

 private:
  std::vector<Volume> kept_;  // for this claim, by name
  std::vector<Volume> free_;  // ordered as they are wanted
  LabelIndex index_;          // of free_
};

}  // namespace leadline

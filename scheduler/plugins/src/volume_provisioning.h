// Where a new volume could be made for one claim.
#pragma once

#include <memory>
#include <vector>

#include "label_index.h"
#include "leadline/framework/listers.h"

namespace leadline {

class VolumeProvisioning {
 public:
  using Room = std::shared_ptr<const CsiStorageCapacity>;
  struct Answer {
    enum class Verdict { kPossible, kImpossible, kNoRoom };
    Verdict verdict = Verdict::kPossible;
    Room room;  // where its driver says how much there is
  };

  VolumeProvisioning(const PersistentVolumeClaim& claim,
                     std::shared_ptr<const StorageClass> storage_class, const Listers& listers);

  Answer On(const StringMap& node_labels) const;

 private:
  std::shared_ptr<const StorageClass> class_;
  bool provisioner_ = false;  // there is one
  bool counts_room_ = false;
  std::vector<Room> rooms_;  // large enough, by name
  LabelIndex index_;         // of rooms_
};

}  // namespace leadline

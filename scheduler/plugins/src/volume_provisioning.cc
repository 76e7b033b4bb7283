#include "volume_provisioning.h"

#include <algorithm>

namespace leadline {
namespace {

bool MeetsAll(const std::vector<Requirement>& requirements, const StringMap& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& one) { return one.Matches(labels); });
}

// An empty term allows nothing, no term at all everything.
bool Allows(const StorageClass& storage_class, const StringMap& labels) {
  const auto& terms = storage_class.allowed_topologies;
  return terms.empty() || std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
           return !term.empty() && MeetsAll(term, labels);
         });
}

}  // namespace

VolumeProvisioning::VolumeProvisioning(const PersistentVolumeClaim& claim,
                                       std::shared_ptr<const StorageClass> storage_class,
                                       const Listers& listers)
    : class_(std::move(storage_class)) {
  const std::string& provisioner = class_->provisioner;
  provisioner_ = !provisioner.empty() && provisioner != "kubernetes.io/no-provisioner";
  if (!provisioner_ || !claim.storage) return;
  const auto driver = listers.csi_drivers.Get(provisioner);
  counts_room_ = driver != nullptr && driver->storage_capacity;
  if (!counts_room_) return;
  for (Room& room : listers.storage_capacities.On(class_->metadata.name)) {
    const auto limit = room->VolumeLimit();
    if (!room->node_topology || !limit || limit->Value() < claim.storage->Value()) continue;
    rooms_.push_back(std::move(room));
  }
  std::sort(rooms_.begin(), rooms_.end(),
            [](const Room& a, const Room& b) { return a->metadata.Key() < b->metadata.Key(); });
  for (std::size_t i = 0; i < rooms_.size(); ++i) {
    index_.Add(i, rooms_[i]->node_topology->requirements);
  }
}

VolumeProvisioning::Answer VolumeProvisioning::On(const StringMap& labels) const {
  using Verdict = Answer::Verdict;
  if (!provisioner_ || !Allows(*class_, labels)) return {Verdict::kImpossible, nullptr};
  if (!counts_room_) return {};
  const auto room = index_.First(
      labels, [&](std::size_t i) { return rooms_[i]->node_topology->Matches(labels); });
  if (!room) return {Verdict::kNoRoom, nullptr};
  return {Verdict::kPossible, rooms_[*room]};
}

}  // namespace leadline

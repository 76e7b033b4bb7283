#include "volume_candidates.h"

#include <algorithm>
#include <tuple>

#include "volume_affinity.h"

namespace leadline {
namespace {

// What even a volume that is kept for the claim must have.
bool IsUsable(const PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  return volume.capacity >= claim.storage.value_or(Quantity()) && volume.block == claim.block &&
         volume.attributes_class == claim.attributes_class && !volume.metadata.deleting;
}

bool HasAccessModes(const PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  const auto& modes = volume.access_modes;
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(),
                     [&](const std::string& mode) {
                       return std::find(modes.begin(), modes.end(), mode) != modes.end();
                     });
}

bool IsWanted(const PersistentVolumeClaim& claim, const PersistentVolume& volume) {
  return volume.available && (!claim.selector || claim.selector->Matches(volume.metadata.labels)) &&
         HasAccessModes(claim, volume);
}

bool ByName(const VolumeCandidates::Volume& a, const VolumeCandidates::Volume& b) {
  return a->metadata.name < b->metadata.name;
}

bool BySize(const VolumeCandidates::Volume& a, const VolumeCandidates::Volume& b) {
  return std::tie(a->capacity, a->metadata.name) < std::tie(b->capacity, b->metadata.name);
}

bool Contains(const std::vector<VolumeCandidates::Volume>& volumes,
              const VolumeCandidates::Volume& one) {
  return std::find(volumes.begin(), volumes.end(), one) != volumes.end();
}

}  // namespace

VolumeCandidates::VolumeCandidates(const PersistentVolumeClaim& claim,
                                   const std::vector<Volume>& volumes) {
  for (const Volume& volume : volumes) {
    if (volume->claim && !volume->claim->Names(claim)) continue;
    if (!IsUsable(claim, *volume)) continue;
    if (volume->claim) {
      kept_.push_back(volume);
    } else if (IsWanted(claim, *volume)) {
      free_.push_back(volume);
    }
  }
  std::sort(kept_.begin(), kept_.end(), ByName);
  std::sort(free_.begin(), free_.end(), BySize);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const VolumeAffinity& affinity = free_[i]->node_affinity;
    if (affinity && affinity->size() == 1) {
      index_.Add(i, affinity->front().match_expressions);
    } else {
      index_.AddEverywhere(i);
    }
  }
}

VolumeCandidates::Volume VolumeCandidates::BestFor(const StringMap& node_labels,
                                                   const std::vector<Volume>& taken) const {
  for (const Volume& volume : kept_) {
    if (Contains(taken, volume)) continue;
    return ReachableWith(volume->node_affinity, node_labels) ? volume : nullptr;
  }
  const auto best = index_.First(node_labels, [&](std::size_t i) {
    return ReachableWith(free_[i]->node_affinity, node_labels) && !Contains(taken, free_[i]);
  });
  return best ? free_[*best] : nullptr;
}

}  // namespace leadline

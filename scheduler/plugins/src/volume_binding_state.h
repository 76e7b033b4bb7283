// What VolumeBinding knows of a Pod during one cycle.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "volume_affinity.h"
#include "volume_binding.h"
#include "volume_candidates.h"
#include "volume_provisioning.h"

namespace leadline {

struct VolumeBinding::Waiting {
  VolumeBinder::Claim claim;
  std::shared_ptr<const StorageClass> storage_class;
  std::string selected_node;  // a volume is being made for there already; else empty
  std::optional<VolumeCandidates> candidates;  // unless one is being made
  std::optional<VolumeProvisioning> provisioning;
};

struct VolumeBinding::Judgment {
  // Indexes of Cycle::waiting.
  std::vector<std::pair<std::size_t, VolumeBinder::Volume>> bindings;
  std::vector<std::pair<std::size_t, VolumeProvisioning::Room>> provisions;
  // Why not, in this order.
  bool unreachable = false;     // a bound volume
  bool no_volume = false;       // for a claim
  bool no_room = false;         // to make one
  bool missing_volume = false;  // that a claim is bound to

  std::vector<std::string> Reasons() const;
};

// Shared between copies of the CycleState; Filter adds to it.
struct VolumeBinding::Cycle {
  std::vector<std::optional<BoundVolume>> bound;  // in the order of the Pod; empty: gone
  bool migratable = false;                        // some of them
  std::vector<Waiting> waiting;                   // likewise
  std::vector<std::size_t> by_size;               // of `waiting`, those to be matched
  bool immediate = false;                         // a claim that should be bound by now
  // Of the feasible nodes, where something waits. The names are the snapshot's.
  std::unordered_map<std::string_view, Judgment> judgments;
  bool chosen = false;  // some of them bind or make something
};

}  // namespace leadline

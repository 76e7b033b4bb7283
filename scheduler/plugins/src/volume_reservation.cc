#include "volume_reservation.h"

#include <fmt/format.h>

#include "volume_affinity.h"

namespace leadline {
namespace {

using Answer = std::optional<Status>;

Answer Failed(std::string why) { return Status(Status::Code::kError, std::move(why)); }

// resourceVersions are decimal numbers.
bool IsOlder(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Success when the volume is reached from the node.
Status CheckReach(const std::shared_ptr<const PersistentVolume>& volume, const Node& node,
                  const Listers& listers) {
  const std::string& name = node.metadata.name;
  const Result<bool> reached =
      BoundVolume(volume).ReachableFrom(node, listers.csi_nodes.Get(name).get());
  if (!reached) {
    return *Failed(fmt::format("failed to translate pv to csi: {}", reached.error().message()));
  }
  if (*reached) return {};
  return *Failed(
      fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": no matching "
                  "NodeSelectorTerms",
                  volume->metadata.name, name));
}

Answer CheckOne(const VolumeBinder::Reservation::Binding& binding, const Node& node,
                const Listers& listers) {
  const std::string& name = binding.volume->metadata.name;
  const auto volume = listers.volumes.Get(name);
  if (volume == nullptr) {
    return Failed(fmt::format("failed to check binding: persistentvolumes \"{}\" not found", name));
  }
  const std::string key = binding.claim->metadata.Key();
  const auto claim = listers.claims.Get(key);
  if (claim == nullptr) {
    return Failed(
        fmt::format("failed to check binding: persistentvolumeclaims \"{}\" not found", key));
  }
  if (IsOlder(volume->metadata.resource_version, binding.version)) return {};
  if (Status reach = CheckReach(volume, node, listers); !reach.ok()) return reach;
  if (!volume->claim || volume->claim->uid.empty()) {
    return Failed(fmt::format("ClaimRef got reset for pv \"{}\"", name));
  }
  if (!claim->FullyBound()) return {};
  return Status();
}

Answer CheckOne(const VolumeBinder::Reservation::Provision& provision, const Node& node,
                const Listers& listers) {
  const std::string key = provision.claim->metadata.Key();
  const auto claim = listers.claims.Get(key);
  if (claim == nullptr) {
    return Failed(fmt::format(
        "failed to check provisioning pvc: persistentvolumeclaims \"{}\" not found", key));
  }
  if (IsOlder(claim->metadata.resource_version, provision.version)) return {};
  // A provisioner that cannot make the volume takes the node out again.
  const auto selected = claim->metadata.annotations.find(kSelectedNodeAnnotation);
  if (selected == claim->metadata.annotations.end() || selected->second != node.metadata.name) {
    return Failed(fmt::format("provisioning failed for PVC \"{}\"", claim->metadata.name));
  }
  if (!claim->volume_name.empty()) {
    const auto volume = listers.volumes.Get(claim->volume_name);
    if (volume == nullptr) return {};  // not seen yet
    if (Status reach = CheckReach(volume, node, listers); !reach.ok()) return reach;
  }
  if (!claim->FullyBound()) return {};
  return Status();
}

}  // namespace

bool MustKeep(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (!volume.claim || !volume.claim->Names(claim)) return true;
  return volume.claim->uid != claim.metadata.uid;  // else kept already, by whomever
}

std::shared_ptr<const PersistentVolume> Keep(const PersistentVolume& volume,
                                             const PersistentVolumeClaim& claim) {
  auto kept = std::make_shared<PersistentVolume>(volume);
  // One that the user has kept for the claim is released to the user, not to everybody.
  if (!volume.claim || !volume.claim->Names(claim)) {
    kept->metadata.annotations.emplace(kBoundByControllerAnnotation, "yes");
  }
  kept->claim = {claim.metadata.namespace_name, claim.metadata.name, claim.metadata.uid};
  return kept;
}

std::optional<Status> CheckBindings(const VolumeBinder::Reservation& reservation, const Node* node,
                                    const Listers& listers) {
  if (node == nullptr) {
    const std::string& name = reservation.node->metadata.name;
    return Failed(fmt::format("failed to get node \"{0}\": node \"{0}\" not found", name));
  }
  for (const auto& binding : reservation.bindings) {
    if (Answer answer = CheckOne(binding, *node, listers); !answer || !answer->ok()) return answer;
  }
  for (const auto& provision : reservation.provisions) {
    if (Answer answer = CheckOne(provision, *node, listers); !answer || !answer->ok()) {
      return answer;
    }
  }
  return Status();
}

}  // namespace leadline

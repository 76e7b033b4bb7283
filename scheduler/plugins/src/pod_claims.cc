#include "pod_claims.h"

#include <algorithm>

namespace leadline {
namespace {

template <typename Condition>
bool AnyVolume(const Pod& pod, const PersistentVolumeClaim& claim, Condition condition) {
  return pod.metadata.namespace_name == claim.metadata.namespace_name &&
         std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), condition);
}

}  // namespace

std::string ClaimName(const Pod& pod, const Volume& volume) {
  return volume.kind == kEphemeralVolume ? pod.metadata.name + "-" + volume.name
                                         : volume.claim_name;
}

bool IsOwnedBy(const PersistentVolumeClaim& claim, const Pod& pod) {
  const auto& owners = claim.metadata.owners;
  return claim.metadata.namespace_name == pod.metadata.namespace_name &&
         std::any_of(owners.begin(), owners.end(), [&](const OwnerReference& owner) {
           return owner.controller && owner.uid == pod.metadata.uid;
         });
}

bool NamesClaim(const Pod& pod, const PersistentVolumeClaim& claim) {
  return AnyVolume(pod, claim, [&](const Volume& volume) {
    return volume.kind == kClaimVolume && volume.claim_name == claim.metadata.name;
  });
}

bool NamesClaimOrEphemeral(const Pod& pod, const PersistentVolumeClaim& claim) {
  return AnyVolume(pod, claim, [&](const Volume& volume) {
    return UsesClaim(volume) && ClaimName(pod, volume) == claim.metadata.name;
  });
}

}  // namespace leadline

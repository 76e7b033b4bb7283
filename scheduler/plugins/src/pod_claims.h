// Which PersistentVolumeClaims a Pod's volumes come from.
// https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes
#pragma once

#include <string>
#include <string_view>

#include "leadline/kubernetes/pod.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {

inline constexpr std::string_view kClaimVolume = "persistentVolumeClaim";
inline constexpr std::string_view kEphemeralVolume = "ephemeral";

inline bool UsesClaim(const Volume& volume) {
  return volume.kind == kClaimVolume || volume.kind == kEphemeralVolume;
}

// Of a volume that uses one; for an ephemeral volume the claim is made under this name.
std::string ClaimName(const Pod& pod, const Volume& volume);

// Whether the claim was made for this Pod.
bool IsOwnedBy(const PersistentVolumeClaim& claim, const Pod& pod);

// Whether the Pod names the claim; the second also: or has an ephemeral volume of that claim.
bool NamesClaim(const Pod& pod, const PersistentVolumeClaim& claim);
bool NamesClaimOrEphemeral(const Pod& pod, const PersistentVolumeClaim& claim);

}  // namespace leadline

#include "leadline/kubernetes/pod.h"

namespace leadline {

bool operator==(const Volume& a, const Volume& b) {
  const bool same_disk =
      a.disk == nullptr || b.disk == nullptr ? a.disk == b.disk : *a.disk == *b.disk;
  return a.name == b.name && a.kind == b.kind && a.claim_name == b.claim_name &&
         a.image_reference == b.image_reference && same_disk;
}

const PodCondition* Pod::FindCondition(std::string_view type) const {
  for (const PodCondition& condition : status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

}  // namespace leadline

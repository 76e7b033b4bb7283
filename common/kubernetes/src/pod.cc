#include "leadline/kubernetes/pod.h"

namespace leadline {

const PodCondition* Pod::FindCondition(std::string_view type) const {
  for (const PodCondition& condition : status.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

}  // namespace leadline

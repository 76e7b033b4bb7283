#include "active_pods.h"

namespace leadline {

bool PodOrder::operator()(const WaitingPod* a, const WaitingPod* b) const {
  if (hooks_->less(*a->entry, *b->entry)) return true;
  if (hooks_->less(*b->entry, *a->entry)) return false;
  return a->pod().metadata.uid < b->pod().metadata.uid;
}

}  // namespace leadline

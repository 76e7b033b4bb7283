// The Pods that may be tried now, best first.
#pragma once

#include <set>

#include "waiting_pod.h"

namespace leadline {

// A strict weak order of all Pods: what the QueueSort plugin leaves equal goes by UID.
class PodOrder {
 public:
  explicit PodOrder(const SchedulingQueueHooks& hooks) : hooks_(&hooks) {}
  bool operator()(const WaitingPod* a, const WaitingPod* b) const;

 private:
  const SchedulingQueueHooks* hooks_;
};

using ActivePods = std::set<WaitingPod*, PodOrder>;

}  // namespace leadline

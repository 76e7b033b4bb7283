// The Pods that wait until they may be tried again.
// k8s.io/kubernetes/pkg/scheduler/backend/queue/backoff_queue.go.
#pragma once

#include <optional>
#include <set>

#include "active_pods.h"

namespace leadline {

class BackoffPods {
 public:
  BackoffPods(const SchedulingQueueOptions& options, const PodOrder& order)
      : options_(options), rejected_(ByEnd{order}), others_(ByEnd{order}) {}

  // When the backoff of a Pod that failed at `failed` ends: the `failures`th time in its way.
  SteadyTime EndOf(SteadyTime failed, int failures) const;

  void Insert(WaitingPod* pod) { PlaceOf(*pod).insert(pod); }
  void Erase(WaitingPod* pod) { PlaceOf(*pod).erase(pod); }
  // The first whose backoff ended; null: none has.
  WaitingPod* FirstEnded(SteadyTime now) const;
  // The first that a plugin turned down, ended or not: what helped it may be there already, while
  // errors and deferrals are a reason to wait. Null: there is none.
  WaitingPod* FirstRejected() const { return rejected_.empty() ? nullptr : *rejected_.begin(); }
  // When the first backoff ends.
  std::optional<SteadyTime> NextEnd() const;
  std::size_t size() const { return rejected_.size() + others_.size(); }

 private:
  struct ByEnd {
    PodOrder order;
    bool operator()(const WaitingPod* a, const WaitingPod* b) const {
      return a->backoff_end != b->backoff_end ? a->backoff_end < b->backoff_end : order(a, b);
    }
  };
  using Pods = std::set<WaitingPod*, ByEnd>;

  Pods& PlaceOf(const WaitingPod& pod) { return pod.rejection != nullptr ? rejected_ : others_; }

  const SchedulingQueueOptions& options_;
  Pods rejected_, others_;
};

}  // namespace leadline

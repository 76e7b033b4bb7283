// The queue without its lock: the places, and the moves between them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "backoff_pods.h"
#include "flight_log.h"
#include "unschedulable_pods.h"

namespace leadline {

// Not thread-safe.
class QueueState {
 public:
  using Place = WaitingPod::Place;

  QueueState(SchedulingQueueOptions options, SchedulingQueueHooks hooks, const Clock& clock);

  WaitingPod* Find(std::string_view uid);
  void Add(std::shared_ptr<const Pod> pod);
  void Update(WaitingPod& pod, std::shared_ptr<const Pod> newer);
  void Erase(WaitingPod& pod);

  // Null: none may be tried now.
  WaitingPod* TakeOff();
  void Fail(WaitingPod& pod, std::set<std::string> plugins, int failures);
  void OnEvent(const ClusterChange& change, const Audience& audience);
  void Activate(WaitingPod& pod);
  // Ends backoffs, and now and then the patience of the unschedulable Pods.
  void Flush();
  std::optional<SteadyTime> NextBackoffEnd() const { return backoff_.NextEnd(); }

  SchedulingQueue::Sizes sizes() const;
  const std::unordered_map<std::string, WaitingPod>& pods() const { return pods_; }

 private:
  // Takes the Pod out of its place; it must be put into another, or forgotten.
  void Leave(WaitingPod& pod);
  // Puts the Pod, which is in no place, into one. An empty event: it only changed its order there.
  void Enter(WaitingPod& pod, Place place, std::string_view event);
  // Puts the Pod among the active ones or, while it has to wait, into the backoff; or among the
  // gated if a plugin does not let it in.
  void Admit(WaitingPod& pod, std::string_view event);
  bool GatedBy(WaitingPod& pod);
  bool MayNowFit(const WaitingPod& pod, const std::shared_ptr<const Pod>& before) const;
  bool HelpedInFlight(const WaitingPod& pod) const;
  void EndPatience(SteadyTime now);

  const SchedulingQueueOptions options_;
  const SchedulingQueueHooks hooks_;
  const Clock& clock_;
  std::unordered_map<std::string, WaitingPod> pods_;  // by UID
  ActivePods active_;
  BackoffPods backoff_;
  UnschedulablePods parked_;  // unschedulable and gated
  FlightLog flights_;
  SteadyTime next_patience_check_{};
};

}  // namespace leadline

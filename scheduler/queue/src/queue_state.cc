#include "queue_state.h"

#include <utility>

namespace leadline {
namespace {

constexpr std::chrono::seconds kPatienceCheck{30};

QueueName NameOf(WaitingPod::Place place) {
  switch (place) {
    case WaitingPod::Place::kBackoff:
      return QueueName::kBackoff;
    case WaitingPod::Place::kUnschedulable:
      return QueueName::kUnschedulable;
    case WaitingPod::Place::kGated:
      return QueueName::kGated;
    default:
      return QueueName::kActive;
  }
}

}  // namespace

QueueState::QueueState(SchedulingQueueOptions options, SchedulingQueueHooks hooks,
                       const Clock& clock)
    : options_(options),
      hooks_(std::move(hooks)),
      clock_(clock),
      active_(PodOrder(hooks_)),
      backoff_(options_, PodOrder(hooks_)),
      parked_(hooks_) {}

WaitingPod* QueueState::Find(std::string_view uid) {
  const auto found = pods_.find(std::string(uid));
  return found == pods_.end() ? nullptr : &found->second;
}

void QueueState::Add(std::shared_ptr<const Pod> pod) {
  WaitingPod& added = pods_[pod->metadata.uid];
  added.entry = std::make_shared<QueuedPodInfo>();
  added.entry->pod = std::make_shared<const PodInfo>(std::move(pod));
  added.entry->queued_at = clock_.SteadyNow();
  Admit(added, "UnscheduledPodAdd");
}

void QueueState::Update(WaitingPod& pod, std::shared_ptr<const Pod> newer) {
  if (pod.place == Place::kInFlight) {
    pod.newer = std::move(newer);
    pod.changed = true;
    return;
  }
  Leave(pod);  // its order may change with it
  const auto before = pod.entry->pod->pod;
  pod.entry->pod = std::make_shared<const PodInfo>(std::move(newer));
  const bool parked = pod.place == Place::kUnschedulable || pod.place == Place::kGated;
  if (parked && MayNowFit(pod, before)) return Admit(pod, "UnscheduledPodUpdate");
  Enter(pod, pod.place, {});
}

void QueueState::Erase(WaitingPod& pod) {
  Leave(pod);
  pods_.erase(pod.pod().metadata.uid);
}

WaitingPod* QueueState::TakeOff() {
  WaitingPod* pod = active_.empty() ? backoff_.FirstRejected() : *active_.begin();
  if (pod == nullptr) return nullptr;
  Leave(*pod);
  if (pod->place == Place::kBackoff) {  // by way of the active Pods, for who counts them
    Enter(*pod, Place::kActive, "PopFromBackoffQ");
    Leave(*pod);
  }
  pod->place = Place::kInFlight;
  pod->flight = flights_.Begin();
  ++pod->entry->attempts;
  return pod;
}

void QueueState::Fail(WaitingPod& pod, std::set<std::string> plugins, int failures) {
  QueuedPodInfo& info = *pod.entry;
  const SteadyTime now = clock_.SteadyNow();
  info.unschedulable_plugins = std::move(plugins);
  info.queued_at = now;
  pod.rejection = parked_.RejectionBy(pod.pod().spec.scheduler_name, info.unschedulable_plugins);
  pod.backoff_end = backoff_.EndOf(now, failures);
  const auto before = info.pod->pod;
  if (pod.newer) info.pod = std::make_shared<const PodInfo>(std::move(pod.newer));
  pod.newer.reset();
  bool again = std::exchange(pod.activated, false) || pod.rejection == nullptr;
  if (std::exchange(pod.changed, false)) again = again || MayNowFit(pod, before);
  again = again || HelpedInFlight(pod);
  Leave(pod);
  if (again) return Admit(pod, "ScheduleAttemptFailure");
  Enter(pod, Place::kUnschedulable, "ScheduleAttemptFailure");
}

void QueueState::OnEvent(const ClusterChange& change, const Audience& audience) {
  flights_.Record({change, audience});
  for (WaitingPod* pod : parked_.HelpedBy(change, audience)) {
    Leave(*pod);
    Admit(*pod, ClusterEventName(change.event));
  }
}

void QueueState::Activate(WaitingPod& pod) {
  switch (pod.place) {
    case Place::kActive:
      return;
    case Place::kInFlight:
      pod.activated = true;
      return;
    case Place::kBackoff:
      Leave(pod);
      return Enter(pod, Place::kActive, "ForceActivate");
    case Place::kUnschedulable:
    case Place::kGated:
      Leave(pod);
      if (GatedBy(pod)) return Enter(pod, Place::kGated, "ForceActivate");
      return Enter(pod, Place::kActive, "ForceActivate");
  }
}

void QueueState::Flush() {
  const SteadyTime now = clock_.SteadyNow();
  while (WaitingPod* pod = backoff_.FirstEnded(now)) {
    Leave(*pod);
    Enter(*pod, Place::kActive, "BackoffComplete");
  }
  if (now >= next_patience_check_) EndPatience(now);
}

void QueueState::EndPatience(SteadyTime now) {
  next_patience_check_ = now + kPatienceCheck;
  for (WaitingPod* pod : parked_.ParkedBefore(now - options_.max_in_unschedulable)) {
    Leave(*pod);
    Admit(*pod, "UnschedulableTimeout");
  }
}

void QueueState::Leave(WaitingPod& pod) {
  switch (pod.place) {
    case Place::kActive:
      active_.erase(&pod);
      break;
    case Place::kBackoff:
      backoff_.Erase(&pod);
      break;
    case Place::kUnschedulable:
    case Place::kGated:
      parked_.Erase(&pod);
      break;
    case Place::kInFlight:
      flights_.End(pod.flight);
      break;
  }
}

void QueueState::Enter(WaitingPod& pod, Place place, std::string_view event) {
  pod.place = place;
  pod.entry->gated = place == Place::kGated;
  const bool moved = !event.empty();
  if (place == Place::kActive) {
    if (!pod.entry->initial_attempt_at) pod.entry->initial_attempt_at = clock_.SteadyNow();
    active_.insert(&pod);
  } else if (place == Place::kBackoff) {
    backoff_.Insert(&pod);
  } else {
    if (moved) pod.parked_at = clock_.SteadyNow();
    parked_.Insert(&pod);
  }
  if (moved && hooks_.on_enter) hooks_.on_enter(NameOf(place), event);
}

void QueueState::Admit(WaitingPod& pod, std::string_view event) {
  if (GatedBy(pod)) return Enter(pod, Place::kGated, event);
  const bool waits = pod.backoff_end > clock_.SteadyNow();
  Enter(pod, waits ? Place::kBackoff : Place::kActive, event);
}

// Asked at the way in only: who has come as far as the backoff comes to the active Pods.
bool QueueState::GatedBy(WaitingPod& pod) {
  const std::string plugin = hooks_.gated_by(pod.pod());
  if (plugin.empty()) return false;
  pod.entry->unschedulable_plugins.insert(plugin);
  pod.rejection = parked_.RejectionBy(pod.pod().spec.scheduler_name, {plugin});
  return true;
}

bool QueueState::MayNowFit(const WaitingPod& pod, const std::shared_ptr<const Pod>& before) const {
  if (pod.rejection == nullptr) return true;
  ClusterChange change{ClusterEvent::kUnscheduledPodUpdate};
  change.old_pod = before;
  change.pod = pod.entry->pod->pod;
  return pod.rejection->Helps(pod.pod(), change);
}

bool QueueState::HelpedInFlight(const WaitingPod& pod) const {
  return flights_.AnySince(pod.flight, [&](const FlightLog::Missed& missed) {
    return missed.audience.Includes(pod.pod()) && pod.rejection->Helps(pod.pod(), missed.change);
  });
}

SchedulingQueue::Sizes QueueState::sizes() const {
  return {active_.size(), backoff_.size(), parked_.unschedulable(), parked_.gated(),
          flights_.flights()};
}

}  // namespace leadline

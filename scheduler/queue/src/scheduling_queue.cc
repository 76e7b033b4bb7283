#include "leadline/queue/scheduling_queue.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "queue_state.h"

namespace leadline {

using Place = WaitingPod::Place;

std::string_view QueueNameLabel(QueueName queue) {
  switch (queue) {
    case QueueName::kActive:
      return "active";
    case QueueName::kBackoff:
      return "backoff";
    case QueueName::kUnschedulable:
      return "unschedulable";
    case QueueName::kGated:
      return "gated";
  }
  return "active";
}

class SchedulingQueue::State : public QueueState {
 public:
  using QueueState::QueueState;

  std::mutex mutex;
  std::condition_variable wake;
  bool closed = false;
};

SchedulingQueue::SchedulingQueue(SchedulingQueueOptions options, SchedulingQueueHooks hooks,
                                 const Clock& clock)
    : clock_(clock), state_(std::make_unique<State>(options, std::move(hooks), clock)) {}

SchedulingQueue::~SchedulingQueue() = default;

void SchedulingQueue::Set(std::shared_ptr<const Pod> pod) {
  const std::lock_guard lock(state_->mutex);
  WaitingPod* known = state_->Find(pod->metadata.uid);
  if (known == nullptr) {
    state_->Add(std::move(pod));
  } else {
    state_->Update(*known, std::move(pod));
  }
  state_->wake.notify_one();
}

void SchedulingQueue::Refresh(std::shared_ptr<const Pod> pod) {
  const std::lock_guard lock(state_->mutex);
  WaitingPod* known = state_->Find(pod->metadata.uid);
  if (known == nullptr) return;
  if (known->place == Place::kInFlight) {
    known->newer = std::move(pod);
  } else {
    known->entry->pod = std::make_shared<const PodInfo>(std::move(pod));
  }
}

void SchedulingQueue::Remove(std::string_view uid) {
  const std::lock_guard lock(state_->mutex);
  if (WaitingPod* pod = state_->Find(uid)) state_->Erase(*pod);
}

bool SchedulingQueue::Contains(std::string_view uid) const {
  const std::lock_guard lock(state_->mutex);
  return state_->Find(uid) != nullptr;
}

SchedulingQueue::Entry SchedulingQueue::Pop(std::chrono::nanoseconds wait) {
  std::unique_lock lock(state_->mutex);
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (!state_->closed) {
    state_->Flush();
    if (const WaitingPod* pod = state_->TakeOff()) return pod->entry;
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) break;
    auto until = deadline;
    if (const auto end = state_->NextBackoffEnd()) {
      until = std::min(until, now + std::max(Duration(0), *end - clock_.SteadyNow()));
    }
    state_->wake.wait_until(lock, until);
  }
  return nullptr;
}

void SchedulingQueue::Done(std::string_view uid) {
  const std::lock_guard lock(state_->mutex);
  WaitingPod* pod = state_->Find(uid);
  if (pod != nullptr && pod->place == Place::kInFlight) state_->Erase(*pod);
}

void SchedulingQueue::AddUnschedulable(const Entry& entry, std::set<std::string> plugins) {
  const bool error = plugins.empty();
  entry->consecutive_errors = error ? entry->consecutive_errors + 1 : 0;
  if (!error) ++entry->rejections;
  EndFlight(entry, std::move(plugins), error ? entry->consecutive_errors : entry->rejections);
}

void SchedulingQueue::AddDeferred(const Entry& entry) { EndFlight(entry, {}, ++entry->deferrals); }

void SchedulingQueue::EndFlight(const Entry& entry, std::set<std::string> plugins, int failures) {
  const std::lock_guard lock(state_->mutex);
  WaitingPod* pod = state_->Find(entry->pod->uid());
  if (pod == nullptr || pod->entry != entry) return;  // deleted meanwhile
  state_->Fail(*pod, std::move(plugins), failures);
  state_->wake.notify_one();
}

void SchedulingQueue::OnEvent(const ClusterChange& change, const Audience& audience) {
  const std::lock_guard lock(state_->mutex);
  state_->OnEvent(change, audience);
  state_->wake.notify_one();
}

void SchedulingQueue::Activate(std::string_view uid) {
  const std::lock_guard lock(state_->mutex);
  if (WaitingPod* pod = state_->Find(uid)) state_->Activate(*pod);
  state_->wake.notify_one();
}

void SchedulingQueue::Flush() {
  const std::lock_guard lock(state_->mutex);
  state_->Flush();
}

void SchedulingQueue::Close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->wake.notify_all();
}

SchedulingQueue::Sizes SchedulingQueue::sizes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->sizes();
}

std::map<std::pair<std::string, std::string>, std::size_t> SchedulingQueue::UnschedulableByPlugin()
    const {
  const std::lock_guard lock(state_->mutex);
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const auto& [uid, pod] : state_->pods()) {
    if (pod.place == Place::kInFlight) continue;
    for (const std::string& plugin : pod.entry->unschedulable_plugins) {
      ++counts[{plugin, pod.pod().spec.scheduler_name}];
    }
  }
  return counts;
}

}  // namespace leadline

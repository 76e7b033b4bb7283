#include "leadline/queue/scheduling_queue.h"

#include <algorithm>
#include <utility>

namespace leadline {
namespace {

constexpr std::chrono::seconds kPatienceCheck{30};
// Kept for the Pods in flight, at most.
constexpr std::size_t kMaxChanges = 100'000;

}  // namespace

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

bool SchedulingQueue::ActiveLess::operator()(const Item* a, const Item* b) const {
  if (queue->hooks_.less(*a->entry, *b->entry)) return true;
  if (queue->hooks_.less(*b->entry, *a->entry)) return false;
  return a->entry->pod->uid() < b->entry->pod->uid();
}

SchedulingQueue::SchedulingQueue(SchedulingQueueOptions options, SchedulingQueueHooks hooks,
                                 const Clock& clock)
    : options_(options), hooks_(std::move(hooks)), clock_(clock), active_(ActiveLess{this}) {}

void SchedulingQueue::Set(std::shared_ptr<const Pod> pod) {
  auto info = std::make_shared<const PodInfo>(pod);
  const std::lock_guard lock(mutex_);
  const auto [found, added] = items_.try_emplace(pod->metadata.uid);
  Item& item = found->second;
  if (added) {
    item.entry = std::make_shared<QueuedPodInfo>();
    item.entry->pod = std::move(info);
    return Enter(item, QueueName::kActive, "UnscheduledPodAdd");
  }
  if (item.in_flight) {
    item.newer = std::move(pod);
    item.changed = true;
    return;
  }
  Leave(item);  // its order may change with the Pod
  item.entry->pod = std::move(info);
  switch (item.queue) {
    case QueueName::kActive:
    case QueueName::kBackoff:
      return Enter(item, item.queue, {});
    case QueueName::kGated:
      return Enter(item, QueueName::kActive, "UnscheduledPodUpdate");
    case QueueName::kUnschedulable:
      return EnterAfterFailure(item, "UnscheduledPodUpdate");
  }
}

void SchedulingQueue::Refresh(std::shared_ptr<const Pod> pod) {
  auto info = std::make_shared<const PodInfo>(pod);
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(pod->metadata.uid);
  if (found == items_.end()) return;
  if (found->second.in_flight) {
    found->second.newer = std::move(pod);
  } else {
    found->second.entry->pod = std::move(info);
  }
}

bool SchedulingQueue::Contains(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  return items_.count(std::string(uid)) != 0;
}

void SchedulingQueue::Remove(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(std::string(uid));
  if (found == items_.end()) return;
  Leave(found->second);
  items_.erase(found);
}

SchedulingQueue::Entry SchedulingQueue::Pop(std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (!closed_) {
    FlushLocked();
    if (Item* item = TakeBest()) return item->entry;
    if (std::chrono::steady_clock::now() >= deadline) break;
    wake_.wait_until(lock, WaitUntil(deadline));
  }
  return nullptr;
}

SchedulingQueue::Item* SchedulingQueue::TakeBest() {
  if (active_.empty()) return nullptr;
  Item* item = *active_.begin();
  Leave(*item);
  item->in_flight = true;
  in_flight_.insert(item);
  item->first_change = changes_from_ + changes_.size();
  ++item->entry->attempts;
  if (!item->entry->initial_attempt_at) item->entry->initial_attempt_at = clock_.SteadyNow();
  return item;
}

// When somebody has to look again: the first backoff ends, or the caller's patience.
SteadyTime SchedulingQueue::WaitUntil(SteadyTime deadline) const {
  if (backoff_.empty()) return deadline;
  const auto left = std::max(Duration(0), backoff_.begin()->first - clock_.SteadyNow());
  return std::min(deadline, std::chrono::steady_clock::now() + left);
}

void SchedulingQueue::Done(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(std::string(uid));
  if (found == items_.end() || !found->second.in_flight) return;
  Leave(found->second);
  items_.erase(found);
}

void SchedulingQueue::AddUnschedulable(const Entry& entry, std::set<std::string> plugins) {
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(entry->pod->uid());
  if (found == items_.end() || found->second.entry != entry) return;  // deleted meanwhile
  Item& item = found->second;
  entry->unschedulable_plugins = std::move(plugins);
  item.wanted.reset();
  for (const std::string& plugin : entry->unschedulable_plugins) {
    item.wanted |= hooks_.events_of(plugin);
  }
  if (item.newer) entry->pod = std::make_shared<const PodInfo>(std::move(item.newer));
  item.newer.reset();
  const bool helped = std::exchange(item.changed, false) || HelpedInFlight(item);
  Leave(item);
  item.backoff_until = clock_.SteadyNow() + BackoffOf(*entry);
  if (helped || entry->unschedulable_plugins.empty()) {
    return EnterAfterFailure(item, "ScheduleAttemptFailure");
  }
  item.since = clock_.SteadyNow();
  Enter(item, QueueName::kUnschedulable, "ScheduleAttemptFailure");
}

void SchedulingQueue::AddDeferred(const Entry& entry) {
  ++entry->deferrals;
  AddUnschedulable(entry, {});
}

void SchedulingQueue::OnEvent(const ClusterChange& change) {
  const std::lock_guard lock(mutex_);
  if (!in_flight_.empty()) changes_.push_back(change);
  if (changes_.size() > kMaxChanges) {
    changes_.pop_front();
    ++changes_from_;
  }
  std::vector<Item*> helped;
  for (Item* item : unschedulable_) {
    if (Helps(*item, change)) helped.push_back(item);
  }
  for (Item* item : helped) {
    Leave(*item);
    EnterAfterFailure(*item, ClusterEventName(change.event));
  }
}

void SchedulingQueue::Flush() {
  const std::lock_guard lock(mutex_);
  FlushLocked();
}

void SchedulingQueue::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  wake_.notify_all();
}

void SchedulingQueue::FlushLocked() {
  const SteadyTime now = clock_.SteadyNow();
  while (!backoff_.empty() && backoff_.begin()->first <= now) {
    Item* item = backoff_.begin()->second;
    Leave(*item);
    Enter(*item, QueueName::kActive, "BackoffComplete");
  }
  if (now < next_patience_check_) return;
  next_patience_check_ = now + kPatienceCheck;
  std::vector<Item*> left;
  for (Item* item : unschedulable_) {
    if (now - item->since >= options_.max_in_unschedulable) left.push_back(item);
  }
  for (Item* item : left) {
    Leave(*item);
    EnterAfterFailure(*item, "UnschedulableTimeout");
  }
}

// Puts the Pod where it belongs; an empty event is a move within the same queue.
void SchedulingQueue::Enter(Item& item, QueueName queue, std::string_view event) {
  if (queue == QueueName::kActive && !hooks_.may_enqueue(*item.entry->pod->pod)) {
    queue = QueueName::kGated;
  }
  item.entry->gated = queue == QueueName::kGated;
  item.queue = queue;
  if (queue == QueueName::kActive) {
    if (!event.empty()) item.entry->queued_at = clock_.SteadyNow();
    active_.insert(&item);
    wake_.notify_one();
  }
  if (queue == QueueName::kBackoff) {
    backoff_.emplace(item.backoff_until, &item);
    wake_.notify_one();  // Pop may have to look earlier than it thought
  }
  if (queue == QueueName::kUnschedulable) unschedulable_.insert(&item);
  if (hooks_.on_enter && !event.empty()) hooks_.on_enter(queue, event);
}

// Takes the Pod out of the queue it is in, or ends its flight.
void SchedulingQueue::Leave(Item& item) {
  active_.erase(&item);
  backoff_.erase({item.backoff_until, &item});
  unschedulable_.erase(&item);
  if (item.in_flight) EndFlight(item);
}

// Forgets the changes that came before the first of those still in flight was popped.
void SchedulingQueue::EndFlight(Item& item) {
  in_flight_.erase(&item);
  item.in_flight = false;
  if (item.first_change > changes_from_) return;  // not the oldest
  std::uint64_t first = changes_from_ + changes_.size();
  for (const Item* other : in_flight_) first = std::min(first, other->first_change);
  for (; changes_from_ < first; ++changes_from_) changes_.pop_front();
}

void SchedulingQueue::EnterAfterFailure(Item& item, std::string_view event) {
  const bool waits = item.backoff_until > clock_.SteadyNow();
  Enter(item, waits ? QueueName::kBackoff : QueueName::kActive, event);
}

bool SchedulingQueue::Helps(const Item& item, const ClusterChange& change) const {
  if (!item.wanted.test(static_cast<std::size_t>(change.event))) return false;
  const auto& plugins = item.entry->unschedulable_plugins;
  return std::any_of(plugins.begin(), plugins.end(), [&](const std::string& plugin) {
    return hooks_.helps(*item.entry->pod->pod, plugin, change);
  });
}

bool SchedulingQueue::HelpedInFlight(const Item& item) const {
  if (item.first_change < changes_from_) return true;  // too many came to remember them all
  return std::any_of(
      changes_.begin() + static_cast<std::ptrdiff_t>(item.first_change - changes_from_),
      changes_.end(), [&](const ClusterChange& change) { return Helps(item, change); });
}

std::chrono::nanoseconds SchedulingQueue::BackoffOf(const QueuedPodInfo& pod) const {
  std::chrono::nanoseconds backoff = options_.initial_backoff;
  for (int i = 1; i < pod.attempts && backoff < options_.max_backoff; ++i) backoff *= 2;
  return std::min(backoff, options_.max_backoff);
}

SchedulingQueue::Sizes SchedulingQueue::sizes() const {
  const std::lock_guard lock(mutex_);
  const std::size_t others =
      active_.size() + backoff_.size() + unschedulable_.size() + in_flight_.size();
  return {active_.size(), backoff_.size(), unschedulable_.size(), items_.size() - others,
          in_flight_.size()};
}

std::map<std::pair<std::string, std::string>, std::size_t> SchedulingQueue::UnschedulableByPlugin()
    const {
  const std::lock_guard lock(mutex_);
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const auto& [uid, item] : items_) {
    if (item.in_flight) continue;
    for (const std::string& plugin : item.entry->unschedulable_plugins) {
      ++counts[{plugin, item.entry->pod->pod->spec.scheduler_name}];
    }
  }
  return counts;
}

}  // namespace leadline

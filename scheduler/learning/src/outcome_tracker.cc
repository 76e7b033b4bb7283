#include "leadline/learning/outcome_tracker.h"

namespace leadline {
namespace {

constexpr std::chrono::minutes kReadyPause{10};

void Add(const Reward& more, Reward* reward) {
  reward->total += more.total;
  reward->parts.insert(reward->parts.end(), more.parts.begin(), more.parts.end());
}

}  // namespace

RewardEvent FailureEvent(const Pod& pod) {
  const std::string& reason = pod.status.reason;
  // The kubelet's admission ("OutOfcpu", "OutOfmemory", ...) and its eviction for want of room.
  if (reason.starts_with("OutOf") || reason == "OOMKilled" || reason == "Evicted") {
    return RewardEvent::kInsufficientResources;
  }
  if (reason == "NodeLost" || reason == "NodeUnreachable" || reason == "NetworkUnavailable") {
    return RewardEvent::kNetworkUnreachable;
  }
  return RewardEvent::kPodFailed;
}

OutcomeTracker::OutcomeTracker(RewardCalculator rewards, OutcomeTrackerOptions options,
                               StateNow state_now, std::vector<OutcomeObserver*> observers,
                               const Clock& clock)
    : rewards_(std::move(rewards)),
      options_(options),
      state_now_(std::move(state_now)),
      observers_(std::move(observers)),
      clock_(clock) {}

void OutcomeTracker::OnBound(OpenOutcome open) {
  Entry entry;
  entry.reward = rewards_.Of(RewardEvent::kPodScheduled, open.placement);
  entry.open = std::move(open);
  if (options_.predict) return Close(std::move(entry), "predicted", false);
  entry.deadline = clock_.SteadyNow() + options_.window;
  const std::lock_guard lock(mutex_);
  open_.try_emplace(entry.open.outcome.uid, std::move(entry));
}

void OutcomeTracker::OnRejected(Outcome outcome) {
  outcome.next_state = outcome.state;
  outcome.event = "Rejected";
  Publish(std::move(outcome), Reward());
}

void OutcomeTracker::OnPodUpdate(const Pod& pod) {
  if (pod.status.phase != "Failed" && pod.status.phase != "Succeeded") return;
  Entry entry;
  if (!Take(pod.metadata.uid, &entry)) return;
  if (pod.status.phase == "Succeeded") return Close(std::move(entry), "PodSucceeded", true);
  const RewardEvent event = FailureEvent(pod);
  Add(rewards_.Of(event), &entry.reward);
  Close(std::move(entry), std::string(RewardEventName(event)), true);
}

void OutcomeTracker::OnPodDelete(const Pod& pod) {
  Entry entry;
  if (Take(pod.metadata.uid, &entry)) Close(std::move(entry), "PodDeleted", true);
}

void OutcomeTracker::OnNodeUpdate(const Node& old, const Node& node) {
  if (old.Ready() || !node.Ready()) return;
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.SteadyNow();
  const auto [paid, first] = paid_ready_.try_emplace(node.metadata.name, now);
  if (!first && now - paid->second < kReadyPause) return;
  paid->second = now;
  for (auto& [uid, entry] : open_) {
    if (entry.open.outcome.node != node.metadata.name) continue;
    Add(rewards_.Of(RewardEvent::kNodeReady), &entry.reward);
    return;
  }
}

void OutcomeTracker::Tick() {
  std::vector<Entry> ended;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = clock_.SteadyNow();
    for (auto it = open_.begin(); it != open_.end();) {
      if (it->second.deadline > now) {
        ++it;
        continue;
      }
      ended.push_back(std::move(it->second));
      it = open_.erase(it);
    }
  }
  for (Entry& entry : ended)
    Close(std::move(entry), std::string(RewardEventName(RewardEvent::kPodScheduled)), false);
}

std::size_t OutcomeTracker::open() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

bool OutcomeTracker::Take(const std::string& uid, Entry* entry) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(uid);
  if (found == open_.end()) return false;
  *entry = std::move(found->second);
  open_.erase(found);
  return true;
}

void OutcomeTracker::Close(Entry entry, std::string event, bool done) {
  Outcome& outcome = entry.open.outcome;
  outcome.next_state = state_now_(outcome.node);
  outcome.event = std::move(event);
  outcome.done = done;
  Publish(std::move(outcome), entry.reward);
}

void OutcomeTracker::Publish(Outcome outcome, const Reward& reward) {
  outcome.reward = reward.total;
  outcome.reward_parts = reward.parts;
  const auto shared = std::make_shared<const Outcome>(std::move(outcome));
  for (OutcomeObserver* observer : observers_) observer->OnOutcome(shared);
}

}  // namespace leadline

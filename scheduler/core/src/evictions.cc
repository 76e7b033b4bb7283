#include "leadline/core/evictions.h"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace leadline {

void Evictions::Start(const std::shared_ptr<const Pod>& preemptor, const std::string& node,
                      const std::vector<std::shared_ptr<const PodInfo>>& victims) {
  Batch batch{node, {}};
  for (const auto& victim : victims) {
    if (!victim->pod->metadata.deleting) batch.victims.insert(victim->uid());
  }
  if (batch.victims.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    batches_[preemptor->metadata.uid] = std::move(batch);
  }
  const std::string message = fmt::format("{}: preempting to accommodate a higher priority pod",
                                          preemptor->spec.scheduler_name);
  for (const auto& victim : victims) {
    if (victim->pod->metadata.deleting) continue;
    writer_.Evict(victim->pod, message,
                  [this, preemptor, pod = victim->pod, node](const Result<void>& result) {
                    OnDone(preemptor, *pod, node, result);
                  });
  }
}

void Evictions::OnDone(const std::shared_ptr<const Pod>& preemptor, const Pod& victim,
                       const std::string& node, const Result<void>& result) {
  const std::string& uid = preemptor->metadata.uid;
  if (result) {
    return writer_.RecordEvent(victim,
                               {.warning = false,
                                .reason = "Preempted",
                                .action = "Preempting",
                                .note = fmt::format("Preempted by pod {} on node {}", uid, node),
                                .related = preemptor});
  }
  if (result.error().code() == ErrorCode::kNotFound) return;  // went by itself
  spdlog::warn("evicting {} from {} for {}: {}", victim.metadata.Key(), node,
               preemptor->metadata.Key(), result.error().message());
  Forget(uid);
  on_failed_(uid);
}

bool Evictions::UnderWay(const std::string& preemptor, const Snapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  const auto batch = batches_.find(preemptor);
  if (batch == batches_.end()) return false;
  const NodeInfo* node = snapshot.Find(batch->second.node);
  const auto untouched = [&](const auto& pod) {
    return !pod->pod->metadata.deleting && batch->second.victims.count(pod->uid()) != 0;
  };
  if (node != nullptr && std::any_of(node->pods().begin(), node->pods().end(), untouched)) {
    return true;
  }
  batches_.erase(batch);
  return false;
}

std::vector<std::string> Evictions::OnGone(std::string_view victim) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ended;
  for (auto batch = batches_.begin(); batch != batches_.end();) {
    auto& victims = batch->second.victims;
    const auto found = victims.find(victim);
    if (found != victims.end()) victims.erase(found);
    if (!victims.empty()) {
      ++batch;
      continue;
    }
    ended.push_back(batch->first);
    batch = batches_.erase(batch);
  }
  return ended;
}

void Evictions::Forget(std::string_view preemptor) {
  const std::lock_guard lock(mutex_);
  const auto batch = batches_.find(preemptor);
  if (batch != batches_.end()) batches_.erase(batch);
}

}  // namespace leadline

#include "leadline/framework/nominator.h"

namespace leadline {

void Nominator::SetPod(const Pod* old, const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  const std::string& said = pod->status.nominated_node_name;
  const std::lock_guard lock(mutex_);
  const auto found = node_of_.find(uid);
  if (said.empty() && found == node_of_.end()) return;  // as nearly all
  const bool was_said = old != nullptr && !old->status.nominated_node_name.empty();
  const std::string node = said.empty() && !was_said ? found->second : said;
  Put(std::make_shared<const PodInfo>(pod), node);
}

void Nominator::Nominate(std::shared_ptr<const PodInfo> pod, const std::string& node) {
  const std::lock_guard lock(mutex_);
  if (node.empty() && node_of_.count(pod->uid()) == 0) return;
  Put(std::move(pod), node);
}

void Nominator::Remove(std::string_view uid) {
  const std::lock_guard lock(mutex_);
  Erase(std::string(uid));
}

std::string Nominator::NodeOf(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  const auto found = node_of_.find(std::string(uid));
  return found == node_of_.end() ? std::string() : found->second;
}

std::shared_ptr<const Nominations> Nominator::Get() const {
  const std::lock_guard lock(mutex_);
  return picture_;
}

// Nominations are few and change seldom: each change makes a new picture.
void Nominator::Put(std::shared_ptr<const PodInfo> pod, const std::string& node) {
  Erase(pod->uid());
  if (node.empty()) return;
  auto changed = std::make_shared<Nominations>(*picture_);
  node_of_[pod->uid()] = node;
  (*changed)[node].push_back(std::move(pod));
  picture_ = std::move(changed);
}

void Nominator::Erase(const std::string& uid) {
  const auto found = node_of_.find(uid);
  if (found == node_of_.end()) return;
  auto changed = std::make_shared<Nominations>(*picture_);
  auto& pods = changed->at(found->second);
  std::erase_if(pods, [&](const auto& pod) { return pod->uid() == uid; });
  if (pods.empty()) changed->erase(found->second);
  node_of_.erase(found);
  picture_ = std::move(changed);
}

}  // namespace leadline

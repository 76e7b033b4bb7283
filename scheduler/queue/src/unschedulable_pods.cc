#include "unschedulable_pods.h"

#include <algorithm>

namespace leadline {

bool Rejection::Helps(const Pod& waiting, const ClusterChange& change) const {
  const auto kind = static_cast<std::size_t>(change.event);
  return std::any_of(hints.begin(), hints.end(), [&](const PluginHints& plugin) {
    return plugin.events.test(kind) && plugin.helps(waiting, change);
  });
}

const PluginHints& UnschedulablePods::HintsOf(const Plugin& plugin) {
  const auto found = hints_.find(plugin);
  if (found != hints_.end()) return found->second;
  return hints_.emplace(plugin, hooks_.hints_of(plugin.first, plugin.second)).first->second;
}

Rejection* UnschedulablePods::RejectionBy(const std::string& profile,
                                          const std::set<std::string>& plugins) {
  if (plugins.empty()) return nullptr;
  auto& rejection = rejections_[{profile, plugins}];
  if (rejection) return rejection.get();
  rejection = std::make_unique<Rejection>();
  for (const std::string& plugin : plugins) {
    const PluginHints& hints = HintsOf({profile, plugin});
    rejection->events |= hints.events;
    rejection->hints.push_back(hints);
  }
  return rejection.get();
}

void UnschedulablePods::Insert(WaitingPod* pod) {
  pod->rejection->pods.insert(pod);
  ++size_;
  if (pod->place == WaitingPod::Place::kGated) ++gated_;
}

void UnschedulablePods::Erase(WaitingPod* pod) {
  pod->rejection->pods.erase(pod);
  --size_;
  if (pod->place == WaitingPod::Place::kGated) --gated_;
}

std::vector<WaitingPod*> UnschedulablePods::HelpedBy(const ClusterChange& change,
                                                     const Audience& audience) const {
  std::vector<WaitingPod*> helped;
  for (const auto& [who, rejection] : rejections_) {
    if (!rejection->Wants(change.event)) continue;
    for (WaitingPod* pod : rejection->pods) {
      if (audience.Includes(pod->pod()) && rejection->Helps(pod->pod(), change)) {
        helped.push_back(pod);
      }
    }
  }
  return helped;
}

std::vector<WaitingPod*> UnschedulablePods::ParkedBefore(SteadyTime time) const {
  std::vector<WaitingPod*> parked;
  for (const auto& [who, rejection] : rejections_) {
    for (WaitingPod* pod : rejection->pods) {
      if (pod->parked_at <= time) parked.push_back(pod);
    }
  }
  return parked;
}

}  // namespace leadline

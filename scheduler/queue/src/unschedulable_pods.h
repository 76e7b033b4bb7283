// The Pods that wait for a change in the cluster, by who turned them down.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "waiting_pod.h"

namespace leadline {

// The plugins of one profile that turned Pods down together. One event looks at it once, however
// many Pods share it.
struct Rejection {
  ClusterEvents events;  // of any of the plugins
  std::vector<PluginHints> hints;
  std::unordered_set<WaitingPod*> pods;  // waiting for an event

  bool Wants(ClusterEvent event) const { return events.test(static_cast<std::size_t>(event)); }
  bool Helps(const Pod& waiting, const ClusterChange& change) const;
};

class UnschedulablePods {
 public:
  explicit UnschedulablePods(const SchedulingQueueHooks& hooks) : hooks_(hooks) {}

  // Lives as long as this; null for no plugin.
  Rejection* RejectionBy(const std::string& profile, const std::set<std::string>& plugins);

  void Insert(WaitingPod* pod);
  void Erase(WaitingPod* pod);
  // Those of the audience that the change could help.
  std::vector<WaitingPod*> HelpedBy(const ClusterChange& change, const Audience& audience) const;
  // Those that have been here since `time` or longer.
  std::vector<WaitingPod*> ParkedBefore(SteadyTime time) const;

  std::size_t unschedulable() const { return size_ - gated_; }
  std::size_t gated() const { return gated_; }

 private:
  using Plugin = std::pair<std::string, std::string>;  // profile and name
  const PluginHints& HintsOf(const Plugin& plugin);

  const SchedulingQueueHooks& hooks_;
  std::map<Plugin, PluginHints> hints_;
  std::map<std::pair<std::string, std::set<std::string>>, std::unique_ptr<Rejection>> rejections_;
  std::size_t size_ = 0, gated_ = 0;
};

}  // namespace leadline

// Pods that wait for room on a node that preemption makes for them (status.nominatedNodeName).
// k8s.io/kubernetes/pkg/scheduler/backend/queue, nominator.go.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leadline/framework/node_info.h"

namespace leadline {

// Pods by the name of the node, which need not exist.
using Nominations = std::unordered_map<std::string, std::vector<std::shared_ptr<const PodInfo>>>;

// Knows waiting Pods only: one that gets a node, or goes, has to be taken out. Thread-safe.
class Nominator {
 public:
  // A waiting Pod as the watch tells it; `old` as last told, null when it is new. A nomination that
  // only this process knows outlives news that say nothing of one.
  void SetPod(const Pod* old, const std::shared_ptr<const Pod>& pod);
  // Before the API server knows. An empty node takes the nomination back.
  void Nominate(std::shared_ptr<const PodInfo> pod, const std::string& node);
  void Remove(std::string_view uid);

  // The node that the Pod is nominated to; empty: none.
  std::string NodeOf(std::string_view uid) const;
  // A frozen picture, never null; Pods of a node in the order of their nomination.
  std::shared_ptr<const Nominations> Get() const;

 private:
  void Put(std::shared_ptr<const PodInfo> pod, const std::string& node);
  void Erase(const std::string& uid);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> node_of_;  // by UID
  std::shared_ptr<const Nominations> picture_ = std::make_shared<const Nominations>();
};

}  // namespace leadline

#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods off cordoned nodes (spec.unschedulable), but for those that tolerate the taint that
// stands for it.
class NodeUnschedulable : public NodeLocal, public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
};

}  // namespace leadline

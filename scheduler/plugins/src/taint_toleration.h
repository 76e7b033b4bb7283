#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods off nodes with a NoSchedule or NoExecute taint that they do not tolerate.
class TaintToleration : public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
};

}  // namespace leadline

#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// A Pod that names its node goes nowhere else.
class NodeName : public NodeLocal,
                 public PreFilterPlugin,
                 public FilterPlugin,
                 public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeName";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
};

}  // namespace leadline

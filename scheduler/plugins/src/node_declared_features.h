#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods off nodes whose kubelet does not declare a feature that they need (KEP-5328).
class NodeDeclaredFeatures : public NodeLocal,
                             public PreFilterPlugin,
                             public FilterPlugin,
                             public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeDeclaredFeatures";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
};

}  // namespace leadline

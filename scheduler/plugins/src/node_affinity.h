#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// nodeSelector and required node affinity.
class NodeAffinityPlugin : public PreFilterPlugin, public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  // Narrows the nodes when every term names some by metadata.name.
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
};

}  // namespace leadline

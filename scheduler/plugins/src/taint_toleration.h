#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods off nodes with a NoSchedule or NoExecute taint that they do not tolerate, and prefers
// nodes with fewer PreferNoSchedule taints that they do not tolerate.
class TaintToleration : public NodeLocal,
                        public FilterPlugin,
                        public ScorePlugin,
                        public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;
  Status NormalizeScore(const CycleState& state, const PodInfo& pod,
                        std::span<std::int64_t> scores) override;
};

}  // namespace leadline

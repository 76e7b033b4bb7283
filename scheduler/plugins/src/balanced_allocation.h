#pragma once

#include <vector>

#include "leadline/framework/plugin.h"
#include "resource_usage.h"

namespace leadline {

// Prefers nodes whose resources would be used more evenly with the Pod than without.
// https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins
class NodeResourcesBalancedAllocation : public NodeLocal,
                                        public PreScorePlugin,
                                        public ScorePlugin {
 public:
  static constexpr std::string_view kName = "NodeResourcesBalancedAllocation";
  explicit NodeResourcesBalancedAllocation(std::vector<ScoredResource> resources)
      : resources_(std::move(resources)) {}
  // NodeResourcesBalancedAllocationArgs; mistakes go to the node's document.
  static std::vector<ScoredResource> ReadArgs(const YamlNode& node);

  std::string_view Name() const override { return kName; }
  // Skips Pods that ask for none of the resources: all of them would go to one node.
  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  // 50 to 100; 75 where the Pod changes nothing.
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;

 private:
  const std::vector<ScoredResource> resources_;
};

}  // namespace leadline

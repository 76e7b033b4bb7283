#pragma once

#include <string>

#include "leadline/framework/plugin.h"
#include "per_node.h"

namespace leadline {

// Prefers nodes that have the Pod's images already, the more the larger they are and the more
// nodes have them (a rare image would draw every Pod to one node).
class ImageLocality : public PreScorePlugin, public ScorePlugin {
 public:
  static constexpr std::string_view kName = "ImageLocality";
  std::string_view Name() const override { return kName; }
  // Skips when no node has any of the images.
  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;

 private:
  PerNode<std::int64_t> sizes_;  // of an image on each node, by its name; 0: not there
};

}  // namespace leadline

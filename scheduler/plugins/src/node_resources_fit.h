#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"
#include "resource_usage.h"
#include "score_shape.h"

namespace leadline {

// NodeResourcesFitArgs of kubescheduler.config.k8s.io/v1.
struct NodeResourcesFitArgs {
  enum class Strategy { kLeastAllocated, kMostAllocated, kRequestedToCapacityRatio };

  std::set<std::string> ignored_resources;        // extended resources that Filter leaves alone
  std::set<std::string> ignored_resource_groups;  // the same by the part before the slash
  Strategy strategy = Strategy::kLeastAllocated;
  ScoreShape shape;  // RequestedToCapacityRatio's
  std::vector<ScoredResource> resources = {{"cpu", 1}, {"memory", 1}};

  // Mistakes go to the document.
  static NodeResourcesFitArgs Read(const YamlNode& args);
};

// Requests against allocatable; the score follows how full the node would be.
class NodeResourcesFit : public NodeLocal,
                         public FilterPlugin,
                         public ScorePlugin,
                         public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";
  explicit NodeResourcesFit(NodeResourcesFitArgs args) : args_(std::move(args)) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  // One reason for each resource that is short.
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
  // 0 to 100: the weighted mean over the resources of what would be free (LeastAllocated) or taken
  // (MostAllocated), in percent of allocatable, rounded down; or of the shape's score for it.
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;

 private:
  Status Judge(const Resource& wanted, const NodeInfo& node) const;
  bool Ignores(const std::string& resource) const;

  NodeResourcesFitArgs args_;
};

}  // namespace leadline

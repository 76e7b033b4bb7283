#pragma once

#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"

namespace leadline {

// NodeAffinityArgs of kubescheduler.config.k8s.io/v1: affinity that every Pod of the profile gets
// on top of its own.
struct NodeAffinityArgs {
  NodeAffinity added;

  // Mistakes go to the node's document.
  static NodeAffinityArgs Read(const YamlNode& node);
};

// nodeSelector, and required and preferred node affinity.
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity
class NodeAffinityPlugin : public NodeLocal,
                           public PreFilterPlugin,
                           public FilterPlugin,
                           public PreScorePlugin,
                           public ScorePlugin,
                           public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  explicit NodeAffinityPlugin(NodeAffinityArgs args) : args_(std::move(args)) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  // Narrows the nodes when every term names some by metadata.name.
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  // Sum of the weights of the preferred terms that the node matches.
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;
  Status NormalizeScore(const CycleState& state, const PodInfo& pod,
                        std::span<std::int64_t> scores) override;

 private:
  bool Admits(const Pod& pod, const Node& node) const;

  const NodeAffinityArgs args_;
};

}  // namespace leadline

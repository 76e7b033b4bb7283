#pragma once

#include <vector>

#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"
#include "per_node.h"
#include "spread_constraint.h"
#include "topology_rows.h"

namespace leadline {

// https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-PodTopologySpreadArgs
struct PodTopologySpreadArgs {
  // For Pods without constraints of their own; without selectors.
  std::vector<TopologySpreadConstraint> defaults = SystemDefaults();
  bool system_defaults = true;  // defaultingType: System

  static std::vector<TopologySpreadConstraint> SystemDefaults();
  // Mistakes go to the node's document.
  static PodTopologySpreadArgs Read(const YamlNode& node);
};

// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
class PodTopologySpread : public PreFilterPlugin,
                          public FilterPlugin,
                          public PreScorePlugin,
                          public ScorePlugin,
                          public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";

  // `listers` must outlive it.
  PodTopologySpread(PodTopologySpreadArgs args, const Listers& listers)
      : args_(std::move(args)), listers_(listers) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;

  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status AddPod(CycleState& state, const PodInfo& pod, const PodInfo& added,
                const NodeInfo& node) override;
  Status RemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                   const NodeInfo& node) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;

  Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) override;
  Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod, const NodeInfo& node,
                             std::size_t index) override;
  Status NormalizeScore(const CycleState& state, const PodInfo& pod,
                        std::span<std::int64_t> scores) override;

 private:
  std::vector<SpreadConstraint> Constraints(const Pod& pod, bool hard) const;
  // Matching Pods on each node of the snapshot.
  const std::vector<int>& Counts(const Snapshot& snapshot, const SpreadConstraint& constraint,
                                 const Pod& pod);
  void Change(CycleState& state, const Pod& pod, const Pod& other, const NodeInfo& node,
              int by) const;

  const PodTopologySpreadArgs args_;
  const Listers& listers_;
  TopologyRows topology_;
  PerNode<int> counts_;
};

}  // namespace leadline

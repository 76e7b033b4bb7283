#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "affinity_term.h"
#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"
#include "per_node.h"
#include "tally.h"
#include "topology_rows.h"

namespace leadline {

// https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/#kubescheduler-config-k8s-io-v1-InterPodAffinityArgs
struct InterPodAffinityArgs {
  int hard_pod_affinity_weight = 1;  // of existing Pods' required affinity, in the score; 0 to 100
  bool ignore_preferred_terms_of_existing_pods = false;  // by Pods without preferences of their own

  // Mistakes go to the node's document.
  static InterPodAffinityArgs Read(const YamlNode& node);
};

// Pod affinity and anti-affinity, of the Pod to be placed and of those on nodes.
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
class InterPodAffinity : public PreFilterPlugin,
                         public FilterPlugin,
                         public PreScorePlugin,
                         public ScorePlugin,
                         public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";

  // `listers` must outlive it.
  InterPodAffinity(InterPodAffinityArgs args, const Listers& listers)
      : args_(args), listers_(listers) {}

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
  // Numbers of topology keys, and what the Pods on one node bring to the node's domains.
  using Shares = std::vector<std::pair<int, std::int64_t>>;

  const std::vector<Shares>& RepellingPods(const Snapshot& snapshot, const Pod& pod,
                                           const StringMap& namespace_labels);
  const std::vector<Shares>& AttractingPods(const Snapshot& snapshot, const Pod& pod,
                                            const StringMap& namespace_labels);
  // How many Pods on each node match all terms.
  const std::vector<int>& CountMatching(const Snapshot& snapshot,
                                        const std::vector<ResolvedTerm>& terms);
  void AddShare(const std::string& key, std::int64_t weight, Shares* shares);
  void AddPreferred(const std::vector<WeightedPodAffinityTerm>& terms, const Pod& owner,
                    const Pod& incoming, const StringMap& namespace_labels, int sign,
                    Shares* shares);
  void Change(CycleState& state, const Pod& pod, const Pod& other, const NodeInfo& node, int count);
  // One tally for each topology key in the shares of all nodes.
  void AddShares(const std::vector<Shares>& shares, std::vector<Tally>* tallies);
  Tally& TallyOf(int key, std::vector<Tally>* tallies);

  const InterPodAffinityArgs args_;
  const Listers& listers_;
  TopologyRows topology_;
  PerNode<int> matching_;        // Pods that match terms, by the terms
  PerNode<Shares> repelling_;    // required anti-affinity against a Pod, by what the Pod is
  PerNode<Shares> preferences_;  // the other terms about a Pod, likewise
};

}  // namespace leadline

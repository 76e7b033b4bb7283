// Makes room for a Pod by evicting less important ones.
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption.
#pragma once

#include <string_view>
#include <vector>

#include "leadline/base/rng.h"
#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"
#include "preemption_victims.h"

namespace leadline {

// How many nodes are tried before the best of them is taken: the greater of the two, at least.
struct DefaultPreemptionArgs {
  int min_candidate_nodes_percentage = 10;
  int min_candidate_nodes_absolute = 100;

  static DefaultPreemptionArgs Read(const YamlNode& node);
  std::size_t CandidatesOf(std::size_t nodes) const;
};

// It only decides: who runs the framework evicts the victims. Pod groups are not looked at, each
// Pod is a victim by itself.
class DefaultPreemption : public PostFilterPlugin {
 public:
  static constexpr std::string_view kName = "DefaultPreemption";

  // `seed`: for the node at which the search begins. `listers` must outlive it.
  DefaultPreemption(DefaultPreemptionArgs args, const Listers& listers, std::uint64_t seed)
      : args_(args), listers_(listers), rng_(seed) {}
  std::string_view Name() const override { return kName; }

  Status PostFilter(CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                    FilterTrial& trial, PostFilterResult* result) override;

 private:
  // A try on every node that might do, and what became of those that did not.
  struct Search {
    std::vector<PreemptionCandidate> candidates;
    NodeToStatus failed;
    std::string errors;
  };

  Status Preempt(const CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                 FilterTrial& trial, PostFilterResult* result);
  Search FindCandidates(const CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                        FilterTrial& trial);

  const DefaultPreemptionArgs args_;
  const Listers& listers_;
  Rng rng_;
};

}  // namespace leadline

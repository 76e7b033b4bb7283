// The Filter plugins of one cycle, asked about one node after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equivalence_cache.h"
#include "leadline/framework/framework.h"

namespace leadline {

class FilterRun : public FilterTrial {
 public:
  FilterRun(const std::vector<PreFilterPlugin*>& pre_filters,
            const std::vector<FilterPlugin*>& filters, const CycleState& state,
            const Nominator* nominator, EquivalenceClass* alike);

  Status AddPod(CycleState& state, const PodInfo& pod, const std::shared_ptr<const PodInfo>& added,
                NodeInfo& node) override;
  Status RemovePod(CycleState& state, const PodInfo& pod,
                   const std::shared_ptr<const PodInfo>& removed, NodeInfo& node) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;
  std::string NominatedNode(const PodInfo& pod) const override;
  // The same as Filter for the node at `place` of the snapshot, by what was said of Pods alike.
  Status FilterAt(std::size_t place, const CycleState& state, const PodInfo& pod,
                  const NodeInfo& node);

  // Told how long each plugin took; may be null. With one, every plugin is asked.
  void set_sampler(FrameworkObserver* sampler) { sampler_ = sampler; }
  const std::vector<FilterPlugin*>& filters() const { return filters_; }
  // How often each of them was asked.
  const std::vector<std::size_t>& calls() const { return calls_; }

 private:
  // By the plugins from `first` on, those before `last`.
  Status Judge(const CycleState& state, const PodInfo& pod, const NodeInfo& node, std::size_t first,
               std::size_t last);
  Status JudgeAll(const CycleState& state, const PodInfo& pod, const NodeInfo& node) {
    return Judge(state, pod, node, 0, filters_.size());
  }
  Status JudgeWithNominated(const CycleState& state, const PodInfo& pod, const NodeInfo& node);

  // Only those that PreFilter did not switch off.
  std::vector<PreFilterPlugin*> pre_filters_;
  std::vector<FilterPlugin*> filters_;
  std::vector<std::size_t> calls_;
  EquivalenceClass* alike_;  // null: nothing is kept
  std::size_t local_ = 0;    // how many of the filters, from the first on, it keeps the answers of
  FrameworkObserver* sampler_ = nullptr;
  const Nominator* nominator_;
  std::shared_ptr<const Nominations> nominations_;  // null: there are none
};

}  // namespace leadline

#pragma once

#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps apart what cannot be mounted twice: disks named in the Pods themselves on one node, and
// claims for one Pod alone (ReadWriteOncePod) anywhere.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
class VolumeRestrictions : public PreFilterPlugin, public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeRestrictions";

  // `listers` must outlive it.
  explicit VolumeRestrictions(const Listers& listers) : listers_(listers) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status AddPod(CycleState& state, const PodInfo& pod, const PodInfo& added,
                const NodeInfo& node) override;
  Status RemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                   const NodeInfo& node) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;

 private:
  const Listers& listers_;
};

}  // namespace leadline

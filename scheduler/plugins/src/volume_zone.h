#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps Pods in the zones and regions that the labels of their bound PersistentVolumes name.
// https://kubernetes.io/docs/reference/labels-annotations-taints/#topologykubernetesiozone
class VolumeZone : public PreFilterPlugin, public FilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeZone";

  // `listers` must outlive it.
  explicit VolumeZone(const Listers& listers) : listers_(listers) {}

  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
  Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) override;

 private:
  struct Demand;  // one label of one volume

  static std::vector<Demand> DemandsOf(const PersistentVolume& volume);
  Status AddDemands(const Pod& pod, const std::string& claim, std::vector<Demand>* out) const;

  const Listers& listers_;
};

}  // namespace leadline

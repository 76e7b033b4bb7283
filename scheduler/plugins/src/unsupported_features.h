#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Turns down Pods that need something that no plugin here can judge, and says what: better left
// Pending than bound wrongly. To be switched off feature by feature as plugins take them over.
class UnsupportedFeatures : public PreFilterPlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "UnsupportedFeatures";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) override;
};

}  // namespace leadline

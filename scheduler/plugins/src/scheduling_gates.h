#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Keeps a Pod with scheduling gates out of the active queue (KEP-3521).
class SchedulingGates : public PreEnqueuePlugin, public EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "SchedulingGates";
  std::string_view Name() const override { return kName; }
  std::vector<ClusterEvent> EventsToRegister() const override;
  bool Helps(const Pod& waiting, const ClusterChange& change) const override;
  Status PreEnqueue(const Pod& pod) const override;
};

}  // namespace leadline

#pragma once

#include "leadline/framework/plugin.h"

namespace leadline {

// Higher priority first; of equals, the one that has waited longer.
class PrioritySort : public QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "PrioritySort";
  std::string_view Name() const override { return kName; }
  bool Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const override;
};

}  // namespace leadline

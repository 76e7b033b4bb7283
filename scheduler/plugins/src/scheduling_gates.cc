#include "scheduling_gates.h"

#include <fmt/ranges.h>

namespace leadline {

std::vector<ClusterEvent> SchedulingGates::EventsToRegister() const {
  return {ClusterEvent::kUnscheduledPodUpdate};
}

Status SchedulingGates::PreEnqueue(const Pod& pod) const {
  if (pod.spec.scheduling_gates.empty()) return {};
  return Status(
      Status::Code::kUnschedulableAndUnresolvable,
      fmt::format("waiting for scheduling gates: [{}]", fmt::join(pod.spec.scheduling_gates, " ")));
}

}  // namespace leadline

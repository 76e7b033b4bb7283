#include "scheduling_gates.h"

#include <fmt/ranges.h>

namespace leadline {

std::vector<ClusterEvent> SchedulingGates::EventsToRegister() const {
  return {ClusterEvent::kUnscheduledPodUpdate};
}

// The last gate is gone.
bool SchedulingGates::Helps(const Pod&, const ClusterChange& change) const {
  return change.pod->spec.scheduling_gates.empty();
}

Status SchedulingGates::PreEnqueue(const Pod& pod) const {
  if (pod.spec.scheduling_gates.empty()) return {};
  return Status(
      Status::Code::kUnschedulableAndUnresolvable,
      fmt::format("waiting for scheduling gates: [{}]", fmt::join(pod.spec.scheduling_gates, " ")));
}

}  // namespace leadline

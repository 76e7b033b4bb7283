#include "node_unschedulable.h"

namespace leadline {

std::vector<ClusterEvent> NodeUnschedulable::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeTaintUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

Status NodeUnschedulable::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  static const Taint kCordon = {"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (!node.node().unschedulable || AnyTolerates(pod.pod->spec.tolerations, kCordon)) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable");
}

}  // namespace leadline

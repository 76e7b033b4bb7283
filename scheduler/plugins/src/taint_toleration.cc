#include "taint_toleration.h"

namespace leadline {

std::vector<ClusterEvent> TaintToleration::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeTaintUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

Status TaintToleration::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  for (const Taint& taint : node.node().taints) {
    const bool filters = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (filters && !AnyTolerates(pod.pod->spec.tolerations, taint)) {
      return Status(Status::Code::kUnschedulableAndUnresolvable,
                    "node(s) had untolerated taint(s)");
    }
  }
  return {};
}

}  // namespace leadline

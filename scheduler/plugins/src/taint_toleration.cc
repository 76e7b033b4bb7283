#include "taint_toleration.h"

#include "normalize.h"

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

// How many taints the Pod would rather avoid.
Result<std::int64_t> TaintToleration::Score(const CycleState&, const PodInfo& pod,
                                            const NodeInfo& node, std::size_t) {
  const auto& taints = node.node().taints;
  return std::count_if(taints.begin(), taints.end(), [&](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !AnyTolerates(pod.pod->spec.tolerations, taint);
  });
}

Status TaintToleration::NormalizeScore(const CycleState&, const PodInfo&,
                                       std::span<std::int64_t> scores) {
  NormalizeByHighest(true, scores);
  return {};
}

}  // namespace leadline

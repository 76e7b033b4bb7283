#include "taint_toleration.h"

#include <algorithm>

#include "normalize.h"

namespace leadline {
namespace {

bool Admits(const Pod& pod, const Node& node) {
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
    const bool filters = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !filters || AnyTolerates(pod.spec.tolerations, taint);
  });
}

}  // namespace

std::vector<ClusterEvent> TaintToleration::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeTaintUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

bool TaintToleration::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    return change.old_pod->spec.tolerations != change.pod->spec.tolerations;
  }
  if (change.node == nullptr) return true;
  return Admits(waiting, *change.node) &&
         (change.old_node == nullptr || !Admits(waiting, *change.old_node));
}

Status TaintToleration::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  if (Admits(*pod.pod, node.node())) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable, "node(s) had untolerated taint(s)");
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

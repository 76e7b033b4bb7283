#include "node_unschedulable.h"

namespace leadline {
namespace {

bool ToleratesCordon(const Pod& pod) {
  static const Taint kCordon = {"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  return AnyTolerates(pod.spec.tolerations, kCordon);
}

bool Admits(const Pod& pod, const Node& node) {
  return !node.unschedulable || ToleratesCordon(pod);
}

}  // namespace

std::vector<ClusterEvent> NodeUnschedulable::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeTaintUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

bool NodeUnschedulable::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    return ToleratesCordon(*change.pod) && !ToleratesCordon(*change.old_pod);
  }
  if (change.node == nullptr) return true;
  return Admits(waiting, *change.node) &&
         (change.old_node == nullptr || !Admits(waiting, *change.old_node));
}

Status NodeUnschedulable::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  if (Admits(*pod.pod, node.node())) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable");
}

}  // namespace leadline

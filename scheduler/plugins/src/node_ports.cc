#include "node_ports.h"

namespace leadline {

// Ports of a Pod never change.
std::vector<ClusterEvent> NodePorts::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodDelete, ClusterEvent::kNodeAdd};
}

// A Pod that went frees the ports it had.
bool NodePorts::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.event != ClusterEvent::kAssignedPodDelete || change.pod == nullptr) return true;
  HostPorts freed;
  freed.Add(*change.pod);
  return freed.Conflicts(waiting);
}

Status NodePorts::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult*) {
  HostPorts wanted;
  wanted.Add(*pod.pod);
  return wanted.empty() ? Status::Skip() : Status();
}

Status NodePorts::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  if (!node.ports().Conflicts(*pod.pod)) return {};
  return Status(Status::Code::kUnschedulable,
                "node(s) didn't have free ports for the requested pod ports");
}

}  // namespace leadline

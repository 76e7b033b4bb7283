#include "node_name.h"

namespace leadline {

std::vector<ClusterEvent> NodeName::EventsToRegister() const { return {ClusterEvent::kNodeAdd}; }

Status NodeName::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult* result) {
  const std::string& wanted = pod.pod->spec.node_name;
  if (!wanted.empty()) result->node_names = {wanted};
  return {};
}

Status NodeName::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  const std::string& wanted = pod.pod->spec.node_name;
  if (wanted.empty() || wanted == node.name()) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                "node(s) didn't match the requested node name");
}

}  // namespace leadline

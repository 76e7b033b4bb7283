#include "node_declared_features.h"

#include <algorithm>

namespace leadline {
namespace {

bool RestartsAll(const std::vector<Container>& containers) {
  return std::any_of(containers.begin(), containers.end(),
                     [](const Container& one) { return one.restarts_all_containers; });
}

// Other features are inferred from changes of Pods, not for their scheduling.
std::vector<std::string_view> NeededBy(const PodSpec& spec) {
  std::vector<std::string_view> needed;
  if (RestartsAll(spec.containers) || RestartsAll(spec.init_containers)) {
    needed.push_back("RestartAllContainersOnContainerExits");
  }
  if (spec.host_network && spec.host_users == false) {
    needed.push_back("UserNamespacesHostNetworkSupport");
  }
  return needed;
}

bool Declares(const Node& node, const std::vector<std::string_view>& needed) {
  const auto& declared = node.declared_features;
  return std::all_of(needed.begin(), needed.end(), [&](std::string_view feature) {
    return std::find(declared.begin(), declared.end(), feature) != declared.end();
  });
}

}  // namespace

std::vector<ClusterEvent> NodeDeclaredFeatures::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeDeclaredFeatureUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

bool NodeDeclaredFeatures::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
    return NeededBy(change.old_pod->spec) != NeededBy(change.pod->spec);
  }
  if (change.node == nullptr) return true;
  const auto needed = NeededBy(waiting.spec);
  return Declares(*change.node, needed) &&
         (change.old_node == nullptr || !Declares(*change.old_node, needed));
}

Status NodeDeclaredFeatures::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult*) {
  return NeededBy(pod.pod->spec).empty() ? Status::Skip() : Status();
}

Status NodeDeclaredFeatures::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  if (Declares(node.node(), NeededBy(pod.pod->spec))) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                "node(s) didn't match Pod's required features");
}

}  // namespace leadline

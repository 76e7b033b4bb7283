#include "node_affinity.h"

#include <algorithm>

namespace leadline {
namespace {

using Names = std::set<std::string>;

// Nodes that the term's In fields allow, all of them taken together; empty optional: any node.
std::optional<Names> NamedNodes(const NodeSelectorTerm& term) {
  std::optional<Names> names;
  for (const Requirement& field : term.match_fields) {
    if (field.key != "metadata.name" || field.op != Requirement::Operator::kIn) continue;
    const Names values(field.values.begin(), field.values.end());
    if (!names) {
      names = values;
    } else {
      std::erase_if(*names, [&values](const std::string& name) { return !values.contains(name); });
    }
  }
  return names;
}

}  // namespace

std::vector<ClusterEvent> NodeAffinityPlugin::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeLabelUpdate};
}

Status NodeAffinityPlugin::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult* result) {
  const PodSpec& spec = pod.pod->spec;
  const auto& terms = spec.node_affinity.required;
  if (!terms && spec.node_selector.empty()) return Status::Skip();
  if (!terms || terms->empty()) return {};
  Names names;
  for (const NodeSelectorTerm& term : *terms) {
    const std::optional<Names> named = NamedNodes(term);
    if (!named) return {};
    names.insert(named->begin(), named->end());
  }
  if (names.empty()) {
    return Status(Status::Code::kUnschedulableAndUnresolvable, "pod affinity terms conflict");
  }
  result->node_names = std::move(names);
  return {};
}

Status NodeAffinityPlugin::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  if (MatchesRequiredNodeAffinity(*pod.pod, node.node())) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                "node(s) didn't match Pod's node affinity/selector");
}

}  // namespace leadline

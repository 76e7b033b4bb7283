#include "node_affinity.h"

#include <algorithm>

#include "normalize.h"

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

bool MatchesAnyTerm(const std::vector<NodeSelectorTerm>& terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& term) {
    return MatchesNodeSelectorTerm(term, node);
  });
}

std::int64_t WeightOf(const std::vector<PreferredSchedulingTerm>& terms, const Node& node) {
  std::int64_t sum = 0;
  for (const PreferredSchedulingTerm& one : terms) {
    if (MatchesNodeSelectorTerm(one.term, node)) sum += one.weight;
  }
  return sum;
}

}  // namespace

// A Pod's affinity only changes while gates hold it, before it is ever tried.
std::vector<ClusterEvent> NodeAffinityPlugin::EventsToRegister() const {
  return {ClusterEvent::kNodeAdd, ClusterEvent::kNodeLabelUpdate};
}

bool NodeAffinityPlugin::Admits(const Pod& pod, const Node& node) const {
  return (!args_.added.required || MatchesAnyTerm(*args_.added.required, node)) &&
         MatchesRequiredNodeAffinity(pod, node);
}

bool NodeAffinityPlugin::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.node == nullptr) return true;
  return Admits(waiting, *change.node) &&
         (change.old_node == nullptr || !Admits(waiting, *change.old_node));
}

Status NodeAffinityPlugin::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult* result) {
  const PodSpec& spec = pod.pod->spec;
  const auto& terms = spec.node_affinity.required;
  if (!terms && spec.node_selector.empty() && !args_.added.required) return Status::Skip();
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
  if (args_.added.required && !MatchesAnyTerm(*args_.added.required, node.node())) {
    return Status(Status::Code::kUnschedulableAndUnresolvable,
                  "node(s) didn't match scheduler-enforced node affinity");
  }
  if (MatchesRequiredNodeAffinity(*pod.pod, node.node())) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                "node(s) didn't match Pod's node affinity/selector");
}

Status NodeAffinityPlugin::PreScore(CycleState&, const PodInfo& pod, NodeList) {
  const bool any = !pod.pod->spec.node_affinity.preferred.empty() || !args_.added.preferred.empty();
  return any ? Status() : Status::Skip();
}

Result<std::int64_t> NodeAffinityPlugin::Score(const CycleState&, const PodInfo& pod,
                                               const NodeInfo& node, std::size_t) {
  return WeightOf(args_.added.preferred, node.node()) +
         WeightOf(pod.pod->spec.node_affinity.preferred, node.node());
}

Status NodeAffinityPlugin::NormalizeScore(const CycleState&, const PodInfo&,
                                          std::span<std::int64_t> scores) {
  NormalizeByHighest(false, scores);
  return {};
}

}  // namespace leadline

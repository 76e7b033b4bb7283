#include "leadline/kubernetes/node.h"

#include <algorithm>

namespace leadline {
namespace {

// In and NotIn with one value on metadata.name are all that Kubernetes allows in matchFields.
bool MatchesField(const Requirement& field, const Node& node) {
  if (field.values.size() != 1) return false;
  const bool equal = field.key == "metadata.name" && field.values.front() == node.metadata.name;
  if (field.op == Requirement::Operator::kIn) return equal;
  return field.op == Requirement::Operator::kNotIn && !equal;
}

}  // namespace

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool AnyTolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&taint](const Toleration& one) { return Tolerates(one, taint); });
}

bool Node::Ready() const {
  return std::any_of(conditions.begin(), conditions.end(), [](const NodeCondition& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

bool MatchesNodeSelectorTerm(const NodeSelectorTerm& term, const Node& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return std::all_of(
             term.match_expressions.begin(), term.match_expressions.end(),
             [&node](const Requirement& one) { return one.Matches(node.metadata.labels); }) &&
         std::all_of(term.match_fields.begin(), term.match_fields.end(),
                     [&node](const Requirement& one) { return MatchesField(one, node); });
}

bool MatchesRequiredNodeAffinity(const Pod& pod, const Node& node) {
  const StringMap& labels = node.metadata.labels;
  for (const auto& [key, value] : pod.spec.node_selector) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  const auto& required = pod.spec.node_affinity.required;
  return !required ||
         std::any_of(required->begin(), required->end(), [&node](const NodeSelectorTerm& term) {
           return MatchesNodeSelectorTerm(term, node);
         });
}

}  // namespace leadline

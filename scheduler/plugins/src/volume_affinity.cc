#include "volume_affinity.h"

#include <algorithm>

#include "csi_migration.h"

namespace leadline {
namespace {

// A driver says on its node's CSINode that it has taken the old volumes over there.
bool IsMigratedOn(std::string_view plugin, const CsiNode* csi_node) {
  if (csi_node == nullptr) return false;
  const auto& annotations = csi_node->metadata.annotations;
  const auto found = annotations.find("storage.alpha.kubernetes.io/migrated-plugins");
  if (found == annotations.end()) return false;
  std::string_view list = found->second;
  for (;;) {
    const auto end = list.find(',');
    if (list.substr(0, end) == plugin) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

// All that kube-scheduler asks of a field here: it compares labels and no field of the node.
bool IsWellFormed(const Requirement& field) {
  return (field.op == Requirement::Operator::kIn || field.op == Requirement::Operator::kNotIn) &&
         field.values.size() == 1;
}

bool Meets(const NodeSelectorTerm& term, const StringMap& labels) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return std::all_of(term.match_expressions.begin(), term.match_expressions.end(),
                     [&](const Requirement& one) { return one.Matches(labels); }) &&
         std::all_of(term.match_fields.begin(), term.match_fields.end(), IsWellFormed);
}

}  // namespace

bool ReachableWith(const VolumeAffinity& affinity, const StringMap& labels) {
  return !affinity ||
         std::any_of(affinity->begin(), affinity->end(),
                     [&](const NodeSelectorTerm& term) { return Meets(term, labels); });
}

BoundVolume::BoundVolume(std::shared_ptr<const PersistentVolume> volume)
    : volume_(std::move(volume)), plugin_(MigratedPluginOfKind(volume_->kind)) {
  if (migratable()) translated_ = TranslateAffinity(*volume_);
}

Result<bool> BoundVolume::ReachableFrom(const Node& node, const CsiNode* csi_node) const {
  const StringMap& labels = node.metadata.labels;
  if (!migratable() || !IsMigratedOn(plugin_, csi_node)) {
    return ReachableWith(volume_->node_affinity, labels);
  }
  if (!translated_) return translated_.error().WithContext("could not translate pv");
  return ReachableWith(*translated_, labels);
}

}  // namespace leadline

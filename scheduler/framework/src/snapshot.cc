#include <algorithm>

#include "leadline/framework/node_info.h"

namespace leadline {

namespace {

auto PlaceOf(Snapshot::Nodes& nodes, std::string_view name) {
  return std::lower_bound(
      nodes.begin(), nodes.end(), name,
      [](const auto& node, std::string_view wanted) { return node->name() < wanted; });
}

}  // namespace

Snapshot::Snapshot(std::uint64_t id, Nodes nodes) : id_(id), nodes_(std::move(nodes)) {
  const auto by_name = [](const auto& a, const auto& b) { return a->name() < b->name(); };
  if (!std::is_sorted(nodes_.begin(), nodes_.end(), by_name)) {
    std::sort(nodes_.begin(), nodes_.end(), by_name);
  }
  FindAffinity();
}

Snapshot::Snapshot(std::uint64_t id, const Snapshot& before, const Nodes& newer)
    : id_(id), nodes_(before.nodes_) {
  bool any = !before.affinity_nodes_.empty();
  for (const auto& node : newer) {
    *PlaceOf(nodes_, node->name()) = node;
    any = any || !node->affinity_pods().empty();
  }
  if (any) FindAffinity();
}

void Snapshot::FindAffinity() {
  for (const auto& node : nodes_) {
    if (!node->affinity_pods().empty()) affinity_nodes_.push_back(node.get());
    if (node->has_required_anti_affinity()) anti_affinity_nodes_.push_back(node.get());
  }
}

const NodeInfo* Snapshot::Find(std::string_view name) const {
  const auto at = std::lower_bound(
      nodes_.begin(), nodes_.end(), name,
      [](const auto& node, std::string_view wanted) { return node->name() < wanted; });
  return at != nodes_.end() && (*at)->name() == name ? at->get() : nullptr;
}

}  // namespace leadline

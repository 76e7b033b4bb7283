#include "leadline/framework/snapshot.h"

#include <algorithm>
#include <atomic>
#include <ranges>

namespace leadline {

NodeBlocks::NodeBlocks(const NodeInfos& nodes) : size_(nodes.size()) {
  for (std::size_t first = 0; first < size_; first += kBlock) {
    const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kBlock, size_ - first));
    blocks_.push_back(std::make_shared<Block>(Block{NextVersion(), {begin, end}}));
  }
}

void NodeBlocks::Set(std::size_t place, value_type node) {
  std::shared_ptr<Block>& block = blocks_[place / kBlock];
  // One that nobody else has was made by an earlier Set.
  if (block.use_count() > 1) block = std::make_shared<Block>(Block{0, block->nodes});
  block->version = NextVersion();
  block->nodes[place % kBlock] = std::move(node);
}

std::uint64_t NodeBlocks::NextVersion() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Snapshot::Snapshot(std::uint64_t id, NodeInfos nodes) : id_(id) {
  const auto by_name = [](const auto& a, const auto& b) { return a->name() < b->name(); };
  if (!std::is_sorted(nodes.begin(), nodes.end(), by_name)) {
    std::sort(nodes.begin(), nodes.end(), by_name);
  }
  nodes_ = nodes;
  FindAffinity();
}

Snapshot::Snapshot(std::uint64_t id, const Snapshot& before, const NodeInfos& newer)
    : id_(id), nodes_(before.nodes_) {
  bool any = !before.affinity_nodes_.empty();
  for (const auto& node : newer) {
    nodes_.Set(PlaceOf(node->name()), node);
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

std::size_t Snapshot::PlaceOf(std::string_view name) const {
  const auto places = std::views::iota(std::size_t{0}, nodes_.size());
  const auto found = std::ranges::lower_bound(
      places, name, {},
      [this](std::size_t place) -> std::string_view { return nodes_[place]->name(); });
  return static_cast<std::size_t>(found - places.begin());
}

const NodeInfo* Snapshot::Find(std::string_view name) const {
  const std::size_t place = PlaceOf(name);
  return place < nodes_.size() && nodes_[place]->name() == name ? nodes_[place].get() : nullptr;
}

}  // namespace leadline

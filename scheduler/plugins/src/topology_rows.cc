#include "topology_rows.h"

#include <algorithm>

namespace leadline {
namespace {

// Topology keys whose domains are kept.
constexpr std::ptrdiff_t kMostKeys = 32;

}  // namespace

int Domains::OfLabels(const StringMap& labels) const {
  const auto label = labels.find(key_);
  if (label == labels.end()) return kNoKey;
  const auto number = numbers_.find(label->second);
  return number == numbers_.end() ? kUnknown : number->second;
}

int Domains::Number(const Node& node) {
  const auto label = node.metadata.labels.find(key_);
  if (label == node.metadata.labels.end()) return kNoKey;
  return numbers_.emplace(label->second, static_cast<int>(numbers_.size())).first->second;
}

void Domains::Update(const Snapshot& snapshot) {
  const auto& nodes = snapshot.nodes();
  of_.resize(nodes.size());
  seen_.Update(nodes,
               [this](std::size_t row, const NodeInfo& node) { of_[row] = Number(node.node()); });
  // Values that nobody has any more would pile up where labels change often.
  if (numbers_.size() <= 2 * nodes.size() + 16) return;
  numbers_ = {{"", kEmpty}};
  for (std::size_t row = 0; row < of_.size(); ++row) of_[row] = Number(nodes[row]->node());
}

void TopologyRows::Update(const Snapshot& snapshot) {
  const auto& nodes = snapshot.nodes();
  snapshot_ = &snapshot;
  ++updates_;
  next_ = 0;
  if (nodes.size() != nodes_.size()) {
    rows_.clear();
    seen_ = {};
  }
  nodes_.resize(nodes.size());
  seen_.Update(nodes, [this](std::size_t row, const NodeInfo& node) {
    // What was here before may be at another row by now.
    const auto before = rows_.find(nodes_[row]);
    if (before != rows_.end() && before->second == row) rows_.erase(before);
    nodes_[row] = &node.node();
    rows_.insert_or_assign(nodes_[row], row);
  });
}

int TopologyRows::KeyNumber(const std::string& key) {
  const auto [entry, added] = key_numbers_.emplace(key, static_cast<int>(keys_.size()));
  if (added) {
    keys_.push_back(key);
    kept_.emplace_back();
  }
  return entry->second;
}

std::shared_ptr<const Domains> TopologyRows::DomainsOf(int key) {
  const auto number = static_cast<std::size_t>(key);
  if (!kept_[number].domains) {
    const auto in_use = [](const Kept& one) { return one.domains != nullptr; };
    if (std::count_if(kept_.begin(), kept_.end(), in_use) >= kMostKeys) {
      for (Kept& one : kept_) one.domains.reset();  // who uses them keeps them
    }
    kept_[number] = {std::make_shared<Domains>(keys_[number]), 0};
  }
  Kept& kept = kept_[number];
  if (kept.updated != updates_) kept.domains->Update(*snapshot_);
  kept.updated = updates_;
  return kept.domains;
}

std::size_t TopologyRows::RowOf(const NodeInfo& node) const {
  const Node* const wanted = &node.node();
  for (std::size_t row = next_; row < std::min(next_ + 2, nodes_.size()); ++row) {
    if (nodes_[row] != wanted) continue;
    next_ = row;  // asked again, about another key
    return row;
  }
  const auto found = rows_.find(wanted);
  if (found == rows_.end()) return kNoRow;
  next_ = found->second;
  return next_;
}

int TopologyRows::DomainOf(const Domains& domains, const NodeInfo& node) const {
  const std::size_t row = RowOf(node);
  return row == kNoRow ? domains.OfLabels(node.node().metadata.labels) : domains.Of(row);
}

}  // namespace leadline

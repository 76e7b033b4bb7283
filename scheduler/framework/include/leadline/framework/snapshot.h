// The nodes as one cycle sees them, and what has changed since another cycle saw them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "leadline/framework/node_info.h"

namespace leadline {

using NodeInfos = std::vector<std::shared_ptr<const NodeInfo>>;

// Nodes by place. A copy shares all blocks of nodes but those that change afterwards: between two
// cycles a few of thousands do.
class NodeBlocks {
 public:
  static constexpr std::size_t kBlock = 64;
  using value_type = NodeInfos::value_type;
  class iterator {
   public:
    iterator(const NodeBlocks* nodes, std::size_t place) : nodes_(nodes), place_(place) {}
    const value_type& operator*() const { return (*nodes_)[place_]; }
    iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const NodeBlocks* nodes_;
    std::size_t place_;
  };

  NodeBlocks() = default;
  NodeBlocks(const NodeInfos& nodes);
  NodeBlocks(std::initializer_list<value_type> nodes) : NodeBlocks(NodeInfos(nodes)) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const value_type& operator[](std::size_t place) const {
    return blocks_[place / kBlock]->nodes[place % kBlock];
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size_}; }

  void Set(std::size_t place, value_type node);

 private:
  friend class SeenNodes;
  struct Block {
    std::uint64_t version;  // equal versions are equal contents; never 0
    NodeInfos nodes;
  };
  static std::uint64_t NextVersion();

  std::vector<std::shared_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

// The nodes of one cycle: frozen, ordered by name, safe to read without a lock.
class Snapshot {
 public:
  using Nodes = NodeBlocks;

  Snapshot() = default;
  Snapshot(std::uint64_t id, NodeInfos nodes);
  // The nodes of `before`, those in `newer` in their newer state.
  Snapshot(std::uint64_t id, const Snapshot& before, const NodeInfos& newer);

  std::uint64_t id() const { return id_; }  // grows with every change
  const Nodes& nodes() const { return nodes_; }
  const NodeInfo* Find(std::string_view name) const;
  // Nodes that carry a Pod with required anti-affinity.
  const std::vector<const NodeInfo*>& anti_affinity_nodes() const { return anti_affinity_nodes_; }
  // Nodes that carry a Pod with any affinity or anti-affinity.
  const std::vector<const NodeInfo*>& affinity_nodes() const { return affinity_nodes_; }

 private:
  // Of the first node with this name or a later one.
  std::size_t PlaceOf(std::string_view name) const;
  void FindAffinity();

  std::uint64_t id_ = 0;
  Nodes nodes_;
  std::vector<const NodeInfo*> anti_affinity_nodes_;
  std::vector<const NodeInfo*> affinity_nodes_;
};

// Remembers in which state each node was seen, for values that are kept from one cycle to the next.
// Not thread-safe.
class SeenNodes {
 public:
  // Calls changed(place, node) where the node is not as it was at the last call, or another one.
  template <typename Changed>
  void Update(const NodeBlocks& nodes, Changed changed) {
    blocks_.resize(nodes.blocks_.size());
    generations_.resize(nodes.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const NodeBlocks::Block& block = *nodes.blocks_[i];
      if (blocks_[i] == block.version) continue;
      blocks_[i] = block.version;
      std::size_t place = i * NodeBlocks::kBlock;
      for (const auto& node : block.nodes) {
        if (generations_[place] != node->generation()) changed(place, *node);
        generations_[place++] = node->generation();
      }
    }
  }

 private:
  std::vector<std::uint64_t> blocks_;       // 0: not seen
  std::vector<std::uint64_t> generations_;  // by place; 0: not seen, no node has it
};

}  // namespace leadline

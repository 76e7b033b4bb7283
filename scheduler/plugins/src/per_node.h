// A value for each node that depends on that node alone, kept from one cycle to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/framework/node_info.h"

namespace leadline {

// After a binding one node of thousands has changed: only its value is computed again. Values are
// kept by what they were computed for (`key`), the latest kMaxKeys of them. Not thread-safe.
template <typename Value>
class PerNode {
 public:
  // In the order of the snapshot's nodes; valid until the next call.
  template <typename Compute>
  const std::vector<Value>& Get(const std::string& key, const Snapshot& snapshot, Compute compute) {
    if (entries_.size() >= kMaxKeys && entries_.count(key) == 0) DropOldest();
    Entry& entry = entries_[key];
    entry.used = ++uses_;
    const auto& nodes = snapshot.nodes();
    entry.generations.resize(nodes.size());
    entry.values.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (entry.generations[i] == nodes[i]->generation()) continue;
      entry.generations[i] = nodes[i]->generation();
      entry.values[i] = compute(*nodes[i]);
    }
    return entry.values;
  }

 private:
  static constexpr std::size_t kMaxKeys = 64;
  struct Entry {
    std::vector<std::uint64_t> generations;  // 0: not computed; no node has it
    std::vector<Value> values;
    std::uint64_t used = 0;
  };

  void DropOldest() {
    const auto older = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), older));
  }

  std::unordered_map<std::string, Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace leadline

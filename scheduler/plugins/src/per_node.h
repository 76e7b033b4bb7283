// A value for each node that depends on that node alone, kept from one cycle to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/framework/snapshot.h"

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
    entry.values.resize(snapshot.nodes().size());
    entry.seen.Update(snapshot.nodes(), [&](std::size_t place, const NodeInfo& node) {
      entry.values[place] = compute(node);
    });
    return entry.values;
  }

 private:
  static constexpr std::size_t kMaxKeys = 64;
  struct Entry {
    SeenNodes seen;
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

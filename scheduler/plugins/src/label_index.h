// Things that only some nodes can reach, found by the labels of a node.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/kubernetes/metadata.h"

namespace leadline {

// Thousands of volumes that belong to one node each must not be tried on each of thousands of
// nodes: what asks for one of some values of a label is kept under these. Things are numbers, which
// are added in ascending order.
class LabelIndex {
 public:
  // Reached only where all of `requirements` are met.
  void Add(std::size_t thing, const std::vector<Requirement>& requirements) {
    for (const Requirement& one : requirements) {
      if (one.op != Requirement::Operator::kIn) continue;
      for (const std::string& value : one.values) {
        auto& bucket = by_label_[one.key][value];
        if (bucket.empty() || bucket.back() != thing) bucket.push_back(thing);
      }
      return;
    }
    AddEverywhere(thing);
  }
  void AddEverywhere(std::size_t thing) { everywhere_.push_back(thing); }

  // The least thing that may be reached with these labels and that `accept` takes; it has the last
  // word about the labels too.
  template <typename Accept>
  std::optional<std::size_t> First(const StringMap& labels, Accept accept) const {
    std::optional<std::size_t> first;
    const auto search = [&](const std::vector<std::size_t>& things) {
      for (const std::size_t thing : things) {
        if (first && thing >= *first) return;
        if (accept(thing)) first = thing;
      }
    };
    search(everywhere_);
    for (const auto& [key, buckets] : by_label_) {
      const auto label = labels.find(key);
      if (label == labels.end()) continue;
      const auto bucket = buckets.find(label->second);
      if (bucket != buckets.end()) search(bucket->second);
    }
    return first;
  }

 private:
  std::vector<std::size_t> everywhere_;
  std::map<std::string, std::unordered_map<std::string, std::vector<std::size_t>>> by_label_;
};

}  // namespace leadline

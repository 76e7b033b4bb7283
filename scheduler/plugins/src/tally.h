#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "topology_rows.h"

namespace leadline {

// How much of something there is in each domain of one topology key. Counted once with Add(), then
// copied cheaply: copies share what was counted and differ in their Change()s.
class Tally {
 public:
  explicit Tally(std::shared_ptr<const Domains> domains)
      : domains_(std::move(domains)),
        counted_(std::make_shared<std::vector<std::int64_t>>(domains_->size())) {}

  const Domains& domains() const { return *domains_; }
  // The sum over all domains.
  std::int64_t total() const { return total_; }
  std::int64_t At(int domain) const {
    if (domain < 0) return 0;
    std::int64_t count = (*counted_)[static_cast<std::size_t>(domain)];
    for (const auto& [changed, by] : changes_) count += changed == domain ? by : 0;
    return count;
  }

  // Not after a copy was made. No domain: nothing happens, here and in Change().
  void Add(int domain, std::int64_t count) {
    if (domain < 0) return;
    (*counted_)[static_cast<std::size_t>(domain)] += count;
    total_ += count;
  }
  // A whole column, by row.
  void AddRows(const std::vector<int>& counts, std::int64_t weight = 1) {
    for (std::size_t row = 0; row < counts.size(); ++row) {
      Add(domains_->Of(row), counts[row] * weight);
    }
  }
  void Change(int domain, std::int64_t by) {
    if (domain < 0) return;
    const auto same = [domain](const auto& change) { return change.first == domain; };
    const auto found = std::find_if(changes_.begin(), changes_.end(), same);
    if (found != changes_.end()) {
      found->second += by;
    } else {
      changes_.emplace_back(domain, by);
    }
    total_ += by;
  }

 private:
  std::shared_ptr<const Domains> domains_;
  std::shared_ptr<std::vector<std::int64_t>> counted_;
  std::vector<std::pair<int, std::int64_t>> changes_;  // a few at most: of one node's Pods
  std::int64_t total_ = 0;
};

}  // namespace leadline

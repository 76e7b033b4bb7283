// The nodes of a snapshot as rows, and the domains that topology keys divide them into.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/framework/snapshot.h"

namespace leadline {

// The values of one topology key as small numbers: what thousands of nodes are asked for each cycle
// is then an array's item instead of two look-ups by text. Not thread-safe.
class Domains {
 public:
  static constexpr int kNoKey = -1;    // the node lacks the key
  static constexpr int kUnknown = -2;  // a value that no row has
  static constexpr int kEmpty = 0;     // the value ""; always there

  explicit Domains(std::string key) : key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  int Of(std::size_t row) const { return of_[row]; }
  int OfLabels(const StringMap& labels) const;
  // All numbers are below; some may have lost their last row.
  std::size_t size() const { return numbers_.size(); }

  void Update(const Snapshot& snapshot);

 private:
  int Number(const Node& node);

  std::string key_;
  SeenNodes seen_;
  std::vector<int> of_;
  std::unordered_map<std::string, int> numbers_{{"", kEmpty}};
};

// Row i is node i of the snapshot. Not thread-safe.
class TopologyRows {
 public:
  static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

  // Call it before anything else in a cycle; cheap when little changed.
  void Update(const Snapshot& snapshot);

  // A number that stands for the topology key from now on.
  int KeyNumber(const std::string& key);
  // Valid until the next Update; the pointer keeps them alive, not up to date.
  std::shared_ptr<const Domains> DomainsOf(int key);
  std::shared_ptr<const Domains> DomainsOf(const std::string& key) {
    return DomainsOf(KeyNumber(key));
  }

  // By the Node object, so also of a copy with other Pods. Fastest in the order of the rows.
  std::size_t RowOf(const NodeInfo& node) const;
  int DomainOf(const Domains& domains, const NodeInfo& node) const;

 private:
  struct Kept {
    std::shared_ptr<Domains> domains;  // null: not in use
    std::uint64_t updated = 0;         // as of this Update()
  };

  const Snapshot* snapshot_ = nullptr;  // during the cycle
  std::uint64_t updates_ = 0;
  SeenNodes seen_;
  std::vector<const Node*> nodes_;  // by row
  std::unordered_map<const Node*, std::size_t> rows_;
  std::unordered_map<std::string, int> key_numbers_;
  std::vector<std::string> keys_;
  std::vector<Kept> kept_;        // by key
  mutable std::size_t next_ = 0;  // the row asked for next, most likely
};

}  // namespace leadline

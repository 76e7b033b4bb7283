// Which node is this series about? Exporters name nodes in their own ways: by name, host name or
// address, with a port, with brackets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leadline/telemetry/query_answer.h"

namespace leadline {

// What telemetry needs to know of a node.
struct NodeIdentity {
  std::string name;
  std::string hostname;                // address of type Hostname, or the label; may be empty
  std::vector<std::string> addresses;  // IPv4 and IPv6 literals, DNS names
  std::int64_t cpu_milli = 0;          // status.capacity; 0: unknown
  std::int64_t memory_bytes = 0;       // status.capacity; 0: unknown
};

enum class NodeMatch { kFound, kNone, kAmbiguous };

// Built once a round. Not thread-safe for building, then immutable.
class NodeMatcher {
 public:
  explicit NodeMatcher(std::vector<NodeIdentity> nodes);

  struct Answer {
    NodeMatch match = NodeMatch::kNone;
    std::size_t node = 0;  // index into nodes(), when kFound
  };

  // A label value: compared as it is, then without port and brackets, with every node's name, host
  // name and addresses (IP addresses by value). A node's name comes before another's host name or
  // address. kAmbiguous when two nodes share the address or host name: never a guess.
  Answer Find(std::string_view value) const;

  // The first of `labels` that the sample has and that finds a node. If none does: kAmbiguous
  // where one was ambiguous, else kNone.
  Answer Find(const Sample& sample, const std::vector<std::string>& labels) const;

  const std::vector<NodeIdentity>& nodes() const { return nodes_; }

 private:
  static constexpr std::size_t kShared = static_cast<std::size_t>(-1);
  using Index = std::unordered_map<std::string, std::size_t>;

  void AddAlias(const std::string& alias, std::size_t node);

  std::vector<NodeIdentity> nodes_;
  Index by_name_;
  Index by_alias_;  // kShared where more than one node has it
};

// "[fd00::11]:9100" -> "fd00::11", "10.0.0.11:9100" -> "10.0.0.11", "worker-1" -> "worker-1".
std::string_view WithoutPort(std::string_view value);

}  // namespace leadline

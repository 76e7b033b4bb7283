// Topology spread constraints, ready to be counted.
#pragma once

#include <string>
#include <vector>

#include "leadline/framework/listers.h"
#include "leadline/framework/node_info.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

struct SpreadConstraint {
  int max_skew = 1;
  std::string topology_key;
  OptionalSelector selector;
  bool selects_itself = false;  // the Pod to be placed
  int min_domains = 1;
  bool honor_affinity = true;
  bool honor_taints = false;

  // Whether Pods on this node count at all (its labels aside).
  bool Includes(const Pod& pod, const Node& node) const;
  // Whether it includes every node, whatever its taints and labels.
  bool IncludesEvery(const Pod& pod) const;
  bool Selects(const Pod& other) const;
  // Whether `other` is spread together with `pod`: not from another namespace, nor one that ends.
  bool Counts(const Pod& other, const Pod& pod) const;
  // How many Pods of the node are spread together with `pod`. The empty selector selects all, and
  // yet counts none.
  int CountOn(const NodeInfo& node, const Pod& pod) const;
  // The same for constraints by which Pods of one namespace count alike.
  std::string CountKey(const Pod& pod) const;
};

// Those of the Pod that are hard (DoNotSchedule), or soft.
std::vector<SpreadConstraint> ConstraintsOf(const Pod& pod, bool hard);

// `defaults` with the selector of the Services, ReplicationControllers, ReplicaSets and
// StatefulSets that the Pod belongs to; none when it belongs to none.
std::vector<SpreadConstraint> DefaultConstraintsFor(
    const Pod& pod, const std::vector<TopologySpreadConstraint>& defaults, bool hard,
    const Listers& listers);

// Null when the node lacks the key.
const std::string* TopologyValue(const Node& node, const std::string& key);
bool HasAllKeys(const Node& node, const std::vector<SpreadConstraint>& constraints);

}  // namespace leadline

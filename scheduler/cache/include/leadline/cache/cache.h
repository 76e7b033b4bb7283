// The scheduler's books: nodes with the Pods on them or assumed on them.
// k8s.io/kubernetes/pkg/scheduler/backend/cache.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "leadline/framework/snapshot.h"

namespace leadline {

// Thread-safe. Pods are known by UID, so one that was deleted and made again under the same name
// is another Pod. A Pod on a node that is not known waits for the node and holds nothing until
// then. Every call may come twice, or late: the last word of the API server wins.
class Cache {
 public:
  // Adds the node, or brings it up to date.
  void SetNode(std::shared_ptr<const Node> node);
  void RemoveNode(std::string_view name);

  // A Pod that the API server says is on a node (spec.nodeName), new or changed. Confirms an
  // assumption, also one of another node.
  void SetPod(std::shared_ptr<const Pod> pod);
  void RemovePod(std::string_view uid);

  // Counts a Pod on a node before the API server knows. False when the Pod is on a node already.
  bool Assume(std::shared_ptr<const PodInfo> pod, const std::string& node);
  // Takes an assumption back, unless the API server has confirmed it meanwhile.
  void Forget(std::string_view uid);
  bool IsAssumed(std::string_view uid) const;
  // The node that the Pod is on or assumed on; empty when it is on none.
  std::string NodeOf(std::string_view uid) const;

  // A frozen picture; only nodes that changed since the last one are copied. Never null.
  std::shared_ptr<const Snapshot> UpdateSnapshot();

  struct Sizes {
    std::size_t nodes = 0;
    std::size_t pods = 0;  // assumed ones included
    std::size_t assumed = 0;
  };
  Sizes sizes() const;
  std::vector<std::shared_ptr<const Node>> Nodes() const;
  // Null when it is not known.
  std::shared_ptr<const Node> FindNode(std::string_view name) const;

  // Counts everything anew and compares; empty when the books are right, else what is wrong.
  std::string FindInconsistency() const;

 private:
  struct NodeEntry {
    std::shared_ptr<NodeInfo> info;          // null while the node is not known
    std::shared_ptr<const NodeInfo> frozen;  // as in the last snapshot; null: changed since
    std::vector<std::shared_ptr<const PodInfo>> waiting;  // Pods of a node that is not known
  };
  struct PodEntry {
    std::shared_ptr<const PodInfo> pod;
    std::string node;
    bool assumed = false;
  };
  using Pods = std::unordered_map<std::string, PodEntry>;

  void Touch(NodeEntry& entry);
  void Place(const std::shared_ptr<const PodInfo>& pod, const std::string& node);
  void Displace(std::string_view uid, const std::string& node);
  void Drop(Pods::iterator pod);

  mutable std::mutex mutex_;
  std::map<std::string, NodeEntry, std::less<>> nodes_;  // ordered: so is the snapshot
  Pods pods_;
  std::size_t known_nodes_ = 0;
  std::size_t assumed_ = 0;
  // Since the last snapshot: nodes came or went; otherwise these have changed.
  bool membership_changed_ = true;
  std::vector<NodeEntry*> touched_;
  std::uint64_t next_snapshot_ = 1;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace leadline

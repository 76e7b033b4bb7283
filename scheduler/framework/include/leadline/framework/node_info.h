// A node with the Pods on it or assumed on it, as one cycle sees it.
// k8s.io/kubernetes/pkg/scheduler/framework, NodeInfo and PodInfo.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "leadline/framework/resource.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

// A Pod with what is derived from it once. Immutable.
struct PodInfo {
  explicit PodInfo(std::shared_ptr<const Pod> pod);

  std::shared_ptr<const Pod> pod;
  Resource requests;        // of the Pod to be placed
  Resource bound_requests;  // what it holds once it is on a node
  NonZeroRequests non_zero;

  const std::string& uid() const { return pod->metadata.uid; }
};

// Host ports in use on one node. 0.0.0.0 (and an empty address) meets every address.
class HostPorts {
 public:
  void Add(const Pod& pod);
  void Remove(const Pod& pod);
  // Whether one of the Pod's host ports is taken. Ports of the Pod itself never conflict.
  bool Conflicts(const Pod& pod) const;
  bool empty() const { return ports_.empty(); }

 private:
  using Port = std::tuple<std::string, int, std::string>;  // protocol, port, address
  std::multiset<Port> ports_;
};

class NodeInfo {
 public:
  explicit NodeInfo(std::shared_ptr<const Node> node);

  const Node& node() const { return *node_; }
  const std::shared_ptr<const Node>& shared_node() const { return node_; }
  const std::string& name() const { return node_->metadata.name; }
  const std::vector<std::shared_ptr<const PodInfo>>& pods() const { return pods_; }
  const Resource& allocatable() const { return allocatable_; }
  const Resource& requested() const { return requested_; }
  const NonZeroRequests& non_zero_requested() const { return non_zero_; }
  const HostPorts& ports() const { return ports_; }
  // Whether some Pod here has required anti-affinity terms.
  bool has_required_anti_affinity() const { return anti_affinity_pods_ > 0; }
  // The Pods here with any pod affinity or anti-affinity of their own.
  const std::vector<std::shared_ptr<const PodInfo>>& affinity_pods() const { return affinity_; }
  // Another one after each change; equal generations are equal contents.
  std::uint64_t generation() const { return generation_; }

  // The Pods here with volumes from claims or of disks, and how many such volumes they have; one
  // that several Pods share counts for each.
  const std::vector<std::shared_ptr<const PodInfo>>& storage_pods() const { return storage_pods_; }
  std::size_t storage_volumes() const { return storage_volumes_; }

  void SetNode(std::shared_ptr<const Node> node);
  void AddPod(std::shared_ptr<const PodInfo> pod);
  // By UID; false when it is not here.
  bool RemovePod(std::string_view uid);

 private:
  std::shared_ptr<const Node> node_;
  std::vector<std::shared_ptr<const PodInfo>> pods_;
  Resource allocatable_;
  Resource requested_;
  NonZeroRequests non_zero_;
  HostPorts ports_;
  std::vector<std::shared_ptr<const PodInfo>> affinity_;
  int anti_affinity_pods_ = 0;
  std::uint64_t generation_ = 0;
  std::vector<std::shared_ptr<const PodInfo>> storage_pods_;
  std::size_t storage_volumes_ = 0;
};

}  // namespace leadline

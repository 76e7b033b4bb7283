// The parts of a Node that scheduling reads.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  friend bool operator==(const Taint&, const Taint&) = default;
};

// As Toleration.ToleratesTaint of k8s.io/api/core/v1, without the gated operators Lt and Gt.
bool Tolerates(const Toleration& toleration, const Taint& taint);
bool AnyTolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

struct NodeAddress {
  std::string type;  // "InternalIP", "Hostname", ...
  std::string address;
};

struct NodeCondition {
  std::string type;
  std::string status;
  std::string reason;
};

struct ContainerImage {
  std::vector<std::string> names;
  std::int64_t size_bytes = 0;
};

struct Node {
  ObjectMeta metadata;
  bool unschedulable = false;
  std::vector<Taint> taints;
  ResourceList allocatable;
  ResourceList capacity;
  std::vector<NodeCondition> conditions;
  std::vector<NodeAddress> addresses;
  std::vector<ContainerImage> images;
  std::vector<std::string> declared_features;

  bool Ready() const;  // condition Ready is True
};

// Reads one Node object. Errors as ParsePod.
Result<Node> ParseNode(std::string_view json);

// Whether a node passes `nodeSelector` and required node affinity.
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity.
bool MatchesNodeSelectorTerm(const NodeSelectorTerm& term, const Node& node);
bool MatchesRequiredNodeAffinity(const Pod& pod, const Node& node);

}  // namespace leadline

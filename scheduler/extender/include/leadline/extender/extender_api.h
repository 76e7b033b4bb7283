// The wire types of kube-scheduler's HTTP extender.
// https://pkg.go.dev/k8s.io/kube-scheduler/extender/v1: the Go types have JSON tags in lower case
// but callers differ, so keys are read case-insensitively and written as kube-scheduler reads
// them: `NodeNames`, `FailedNodes`, `Host`, `Score`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

struct ExtenderArgs {
  Pod pod;
  // Names of the nodes asked about, in order.
  std::vector<std::string> node_names;
  // With `nodeCacheCapable: false` the nodes come whole; their JSON is kept, to be sent back.
  std::optional<std::map<std::string, std::string, std::less<>>> node_json;
};

// kInvalidArgument naming what is missing or wrong.
Result<ExtenderArgs> ParseExtenderArgs(std::string_view json);

struct ExtenderFilterResult {
  std::vector<std::string> node_names;
  // Node and its reasons joined by ", ".
  std::vector<std::pair<std::string, std::string>> failed;
  std::vector<std::pair<std::string, std::string>> failed_and_unresolvable;
  std::string error;
};

// `args` decides whether nodes go back as names or whole.
std::string ToJson(const ExtenderFilterResult& result, const ExtenderArgs& args);

// What the verb "bind" is asked.
struct ExtenderBinding {
  std::string pod_name;
  std::string pod_namespace;
  std::string pod_uid;
  std::string node;
};

// kInvalidArgument naming what is missing or wrong.
Result<ExtenderBinding> ParseExtenderBinding(std::string_view json);

// Who would have to leave a node.
struct ExtenderVictims {
  std::vector<std::string> uids;
  std::int64_t pdb_violations = 0;
};

// By the node's name.
using ExtenderVictimsMap = std::map<std::string, ExtenderVictims, std::less<>>;

// What the verb "preempt" is asked: whether these evictions would help the Pod.
struct ExtenderPreemptionArgs {
  Pod pod;
  ExtenderVictimsMap victims;
  // With `nodeCacheCapable: false` the victims come as whole Pods.
  bool whole_pods = false;
};

// kInvalidArgument naming what is missing or wrong. Where the victims come in both forms, their
// UIDs count.
Result<ExtenderPreemptionArgs> ParseExtenderPreemptionArgs(std::string_view json);

// The answer to "preempt" names victims by UID, however they came.
std::string ToJson(const ExtenderVictimsMap& victims);

// The answer to "bind", and to any verb that could not be served; an empty `error` is success.
std::string ErrorJson(std::string_view error);

inline constexpr std::int64_t kMaxExtenderScore = 10;

// One entry a node, scores from 0 to kMaxExtenderScore.
std::string HostPriorityListJson(const std::vector<std::pair<std::string, std::int64_t>>& scores);

}  // namespace leadline

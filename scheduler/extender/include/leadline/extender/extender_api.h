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

// The answer to "bind", and to any verb that could not be served; an empty `error` is success.
std::string ErrorJson(std::string_view error);

inline constexpr std::int64_t kMaxExtenderScore = 10;

// One entry a node, scores from 0 to kMaxExtenderScore.
std::string HostPriorityListJson(const std::vector<std::pair<std::string, std::int64_t>>& scores);

}  // namespace leadline

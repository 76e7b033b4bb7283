// The parts of a PodDisruptionBudget that preemption reads.
// https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"

namespace leadline {

struct PodDisruptionBudget {
  ObjectMeta metadata;
  OptionalSelector selector;
  int disruptions_allowed = 0;
  // Names of Pods whose eviction the API server has counted already.
  std::set<std::string, std::less<>> disrupted_pods;
};

// Errors as ParsePod.
Result<PodDisruptionBudget> ParseDisruptionBudget(std::string_view json);

}  // namespace leadline

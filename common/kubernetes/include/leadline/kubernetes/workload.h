// What owns or finds Pods by a selector: Service, ReplicationController, ReplicaSet, StatefulSet.
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/
#pragma once

#include <string_view>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"

namespace leadline {

struct Workload {
  ObjectMeta metadata;
  OptionalSelector selector;  // none: selects nothing
};

// `spec.selector` is a map of labels in a Service and a ReplicationController, and a LabelSelector
// in the other two. Errors as ParsePod.
Result<Workload> ParseMapSelected(std::string_view json);
Result<Workload> ParseLabelSelected(std::string_view json);

}  // namespace leadline

// The parts of a Namespace that scheduling reads.
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/namespace-v1/
#pragma once

#include <string_view>

#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"

namespace leadline {

struct Namespace {
  ObjectMeta metadata;
};

// Errors as ParsePod.
Result<Namespace> ParseNamespace(std::string_view json);

}  // namespace leadline

// kube-scheduler's LeastAllocated score: the policy to fall back on, and a baseline.
#pragma once

#include "leadline/features/observation.h"

namespace leadline {

// Mean over CPU and memory of (allocatable - requested - the Pod's) / allocatable, times 100: 0 is
// full, 100 empty. As in NodeResourcesFit with the default weights
// (pkg/scheduler/framework/plugins/noderesources/least_allocated.go), without its rounding.
double LeastAllocatedScore(const NodeState& node, const PodFeatures& pod);

}  // namespace leadline

// What a change of an object means to the Pods that wait.
#pragma once

#include <vector>

#include "leadline/framework/plugin.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

std::vector<ClusterEvent> NodeEvents(const Node& old, const Node& node);

// Whether anything that scheduling reads changed (its status conditions are not among that: the
// scheduler writes them itself).
bool WaitingPodChanged(const Pod& old, const Pod& pod);
// Whether a Pod on a node changed in what others can depend on: labels, what it holds.
bool AssignedPodChanged(const Pod& old, const Pod& pod);

}  // namespace leadline

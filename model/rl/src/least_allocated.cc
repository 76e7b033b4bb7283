#include "leadline/rl/least_allocated.h"

namespace leadline {
namespace {

double FreeShare(double requested, double asked, double allocatable) {
  const double free = allocatable - requested - asked;
  return free > 0 && allocatable > 0 ? free / allocatable : 0.0;
}

}  // namespace

double LeastAllocatedScore(const NodeState& node, const PodFeatures& pod) {
  return 50.0 * (FreeShare(node.requested_milli_cpu, pod.milli_cpu, node.allocatable_milli_cpu) +
                 FreeShare(node.requested_memory, pod.memory, node.allocatable_memory));
}

}  // namespace leadline

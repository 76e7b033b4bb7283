#include "balanced_allocation.h"

#include <algorithm>
#include <cmath>

#include "args.h"

namespace leadline {
namespace {

// 100 less the standard deviation of the used fractions, in percent, rounded down.
std::int64_t Balance(const std::vector<double>& fractions) {
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    double mean = 0, squares = 0;
    for (const double fraction : fractions) mean += fraction;
    mean /= static_cast<double>(fractions.size());
    for (const double fraction : fractions) squares += (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(squares / static_cast<double>(fractions.size()));
  }
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

double Fraction(std::int64_t used, std::int64_t allocatable) {
  return std::min(1.0, static_cast<double>(used) / static_cast<double>(allocatable));
}

}  // namespace

std::vector<ScoredResource> NodeResourcesBalancedAllocation::ReadArgs(const YamlNode& node) {
  std::vector<ScoredResource> resources = {{"cpu", 1}, {"memory", 1}};
  if (!node.exists()) return resources;
  CheckArgsKind(node, "NodeResourcesBalancedAllocationArgs");
  ReadScoredResources(node.Get("resources"), 1, &resources);
  node.RejectUnknownKeys();
  return resources;
}

Status NodeResourcesBalancedAllocation::PreScore(CycleState&, const PodInfo& pod, NodeList) {
  const bool wants = std::any_of(resources_.begin(), resources_.end(),
                                 [&](const auto& one) { return one.Of(pod.bound_requests) != 0; });
  return wants ? Status() : Status::Skip();
}

Result<std::int64_t> NodeResourcesBalancedAllocation::Score(const CycleState&, const PodInfo& pod,
                                                            const NodeInfo& node, std::size_t) {
  thread_local std::vector<double> with, without;  // no allocation for each node
  with.clear();
  without.clear();
  for (const ScoredResource& one : resources_) {
    const ResourceUsage usage = UsageOf(one, pod, node, false);
    if (usage.allocatable == 0) continue;
    with.push_back(Fraction(usage.allocated + usage.wanted, usage.allocatable));
    without.push_back(Fraction(usage.allocated, usage.allocatable));
  }
  constexpr std::int64_t kHalf = kMaxNodeScore / 2;
  return kHalf + (kHalf + Balance(with) - Balance(without)) / 2;
}

}  // namespace leadline

// Whom a Pod would have to evict from one node, and on which node it is the least harm.
// k8s.io/kubernetes/pkg/scheduler/framework/preemption.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "leadline/framework/plugin.h"
#include "leadline/kubernetes/disruption_budget.h"

namespace leadline {

using PodInfoPointer = std::shared_ptr<const PodInfo>;
using DisruptionBudgets = std::vector<std::shared_ptr<const PodDisruptionBudget>>;

struct Victims {
  std::vector<PodInfoPointer> pods;  // the most important first
  int violations = 0;                // of them, against a disruption budget
};

struct PreemptionCandidate {
  std::string node;
  Victims victims;
};

// By priority, then by who runs longer; one that has not started runs shortest.
bool MoreImportant(const Pod& a, const Pod& b);

// The Pods whose eviction, one after the other, would go beyond a budget, and the others; both in
// the order given. A Pod takes from its budgets in their order, up to the first that it breaks, as
// in kube-scheduler; there the order is any.
struct ByBudget {
  std::vector<PodInfoPointer> violating;
  std::vector<PodInfoPointer> others;
};
ByBudget SplitByBudget(const std::vector<PodInfoPointer>& pods, const DisruptionBudgets& budgets);

// The fewest and least important Pods of `node` without whom `pod` fits there. Rejected where that
// is not possible: kUnschedulableAndUnresolvable when all Pods there are as important as `pod`.
Status SelectVictims(FilterTrial& trial, const CycleState& state, const PodInfo& pod,
                     const NodeInfo& node, const DisruptionBudgets& budgets, Victims* victims);

// The candidate with the fewest violations; among equals the one whose first victim has the lowest
// priority; then the smallest sum of priorities; the fewest victims; whose first victims' oldest
// started last; the first. There must be one.
const PreemptionCandidate& LeastHarm(const std::vector<PreemptionCandidate>& candidates);

}  // namespace leadline

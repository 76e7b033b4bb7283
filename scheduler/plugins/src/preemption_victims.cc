#include "preemption_victims.h"

#include <algorithm>

namespace leadline {
namespace {

constexpr SystemTime kNotStarted = SystemTime::max();

SystemTime StartOf(const Pod& pod) { return pod.status.start_time.value_or(kNotStarted); }

bool Protects(const PodDisruptionBudget& budget, const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  // Otherwise than elsewhere, an empty selector selects nothing here.
  return budget.metadata.namespace_name == metadata.namespace_name && budget.selector &&
         !budget.selector->requirements.empty() && budget.selector->Matches(metadata.labels) &&
         budget.disrupted_pods.count(metadata.name) == 0;  // counted by the API server already
}

// Evicts the less important Pods of a node, and lets back in whom it can.
class NodeTrial {
 public:
  NodeTrial(FilterTrial& trial, const CycleState& state, const PodInfo& pod, const NodeInfo& node)
      : trial_(trial), state_(state), pod_(pod), node_(node) {}

  Status Evict(const PodInfoPointer& victim) {
    return trial_.RemovePod(state_, pod_, victim, node_);
  }
  Status Fits() { return trial_.Filter(state_, pod_, node_); }
  // Puts it back if `pod` fits all the same; kUnschedulable: it has to go.
  Status Reprieve(const PodInfoPointer& victim) {
    Status added = trial_.AddPod(state_, pod_, victim, node_);
    if (!added.ok()) return added;
    if (Fits().ok()) return {};
    const Status evicted = Evict(victim);
    return evicted.ok() ? Status(Status::Code::kUnschedulable, std::vector<std::string>())
                        : evicted;
  }
  // Puts back those it can of `pods`, in their order; the others are left in `victims`.
  Status ReprieveAll(const std::vector<PodInfoPointer>& pods,
                     std::vector<PodInfoPointer>* victims) {
    for (const PodInfoPointer& pod : pods) {
      Status status = Reprieve(pod);
      if (status.code() == Status::Code::kError) return status;
      if (!status.ok()) victims->push_back(pod);
    }
    return {};
  }

 private:
  FilterTrial& trial_;
  CycleState state_;
  const PodInfo& pod_;
  NodeInfo node_;
};

}  // namespace

bool MoreImportant(const Pod& a, const Pod& b) {
  if (a.Priority() != b.Priority()) return a.Priority() > b.Priority();
  return StartOf(a) < StartOf(b);
}

ByBudget SplitByBudget(const std::vector<PodInfoPointer>& pods, const DisruptionBudgets& budgets) {
  ByBudget split;
  std::vector<int> left;
  for (const auto& budget : budgets) left.push_back(budget->disruptions_allowed);
  const auto violates = [&](const Pod& pod) {
    if (pod.metadata.labels.empty()) return false;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      if (Protects(*budgets[i], pod) && --left[i] < 0) return true;
    }
    return false;
  };
  for (const PodInfoPointer& pod : pods) {
    (violates(*pod->pod) ? split.violating : split.others).push_back(pod);
  }
  return split;
}

Status SelectVictims(FilterTrial& trial, const CycleState& state, const PodInfo& pod,
                     const NodeInfo& node, const DisruptionBudgets& budgets, Victims* victims) {
  std::vector<PodInfoPointer> potential;
  for (const PodInfoPointer& other : node.pods()) {
    if (other->pod->Priority() < pod.pod->Priority()) potential.push_back(other);
  }
  if (potential.empty()) {
    return Status(Status::Code::kUnschedulableAndUnresolvable,
                  "No preemption victims found for incoming pod");
  }
  NodeTrial tried(trial, state, pod, node);
  for (const PodInfoPointer& victim : potential) {
    if (Status status = tried.Evict(victim); !status.ok()) return status;
  }
  // That it might need the company of a less important Pod is not looked into.
  if (Status status = tried.Fits(); !status.ok()) return status;
  const auto more_important = [](const PodInfoPointer& a, const PodInfoPointer& b) {
    return MoreImportant(*a->pod, *b->pod);
  };
  std::stable_sort(potential.begin(), potential.end(), more_important);
  const ByBudget split = SplitByBudget(potential, budgets);
  Status status = tried.ReprieveAll(split.violating, &victims->pods);
  victims->violations = static_cast<int>(victims->pods.size());
  if (status.ok()) status = tried.ReprieveAll(split.others, &victims->pods);
  std::stable_sort(victims->pods.begin(), victims->pods.end(), more_important);
  return status;
}

}  // namespace leadline

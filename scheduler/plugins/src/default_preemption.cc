#include "default_preemption.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "args.h"
#include "leadline/framework/framework.h"

namespace leadline {
namespace {

using Code = Status::Code;

// By us or another scheduler, for a Pod that waits for its room.
bool TerminatingByPreemption(const Pod& pod) {
  const PodCondition* condition = pod.FindCondition("DisruptionTarget");
  return pod.metadata.deleting && condition != nullptr && condition->status == "True" &&
         condition->reason == "PreemptionByScheduler";
}

const Status* StatusOf(const NodeToStatus& statuses, std::string_view node) {
  const auto found = std::find_if(statuses.begin(), statuses.end(),
                                  [&](const auto& entry) { return entry.first == node; });
  return found == statuses.end() ? nullptr : &found->second;
}

// Whether the Pod has evicted others already who are still about to go.
bool WaitsForVictims(const CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                     const std::string& nominated) {
  if (nominated.empty()) return false;
  // When the node will not do any more, waiting is in vain. The same for one not looked at.
  const Status* status = StatusOf(statuses, nominated);
  if (status == nullptr || status->code() == Code::kUnschedulableAndUnresolvable) return false;
  const NodeInfo* node = state.snapshot().Find(nominated);
  if (node == nullptr) return false;
  return std::any_of(node->pods().begin(), node->pods().end(), [&](const PodInfoPointer& other) {
    return other->pod->Priority() < pod.pod->Priority() && TerminatingByPreemption(*other->pod);
  });
}

// Why nobody's eviction would help: one reason for each node.
std::string NotHelpful(const CycleState& state, NodeToStatus failed) {
  const std::size_t nodes = state.snapshot().nodes().size();
  const Status hopeless(Code::kUnschedulableAndUnresolvable,
                        "Preemption is not helpful for scheduling");
  failed.resize(nodes, {std::string(), hopeless});
  return FitErrorMessage(failed, nodes);
}

void Append(const std::string& text, std::string* all) {
  if (!all->empty()) *all += ", ";
  *all += text;
}

}  // namespace

DefaultPreemptionArgs DefaultPreemptionArgs::Read(const YamlNode& node) {
  DefaultPreemptionArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "DefaultPreemptionArgs");
  node.Get("minCandidateNodesPercentage").Read(&args.min_candidate_nodes_percentage, 0, 100);
  node.Get("minCandidateNodesAbsolute").Read(&args.min_candidate_nodes_absolute, 0);
  if (args.min_candidate_nodes_percentage == 0 && args.min_candidate_nodes_absolute == 0) {
    node.Mistake("minCandidateNodesPercentage and minCandidateNodesAbsolute must not both be 0");
  }
  node.RejectUnknownKeys();
  return args;
}

std::size_t DefaultPreemptionArgs::CandidatesOf(std::size_t nodes) const {
  const std::size_t part = nodes * static_cast<std::size_t>(min_candidate_nodes_percentage) / 100;
  return std::min(nodes, std::max(part, static_cast<std::size_t>(min_candidate_nodes_absolute)));
}

Status DefaultPreemption::PostFilter(CycleState& state, const PodInfo& pod,
                                     const NodeToStatus& statuses, FilterTrial& trial,
                                     PostFilterResult* result) {
  const Status status = Preempt(state, pod, statuses, trial, result);
  return Status(status.code(), "preemption: " + status.Message());
}

Status DefaultPreemption::Preempt(const CycleState& state, const PodInfo& pod,
                                  const NodeToStatus& statuses, FilterTrial& trial,
                                  PostFilterResult* result) {
  if (pod.pod->spec.preemption_policy == "Never") {
    return Status(Code::kUnschedulable, "not eligible due to preemptionPolicy=Never.");
  }
  if (WaitsForVictims(state, pod, statuses, trial.NominatedNode(pod))) {
    return Status(Code::kUnschedulable,
                  "not eligible due to a terminating pod on the nominated node.");
  }
  Search search = FindCandidates(state, pod, statuses, trial);
  if (search.candidates.empty()) {
    if (!search.errors.empty()) return Status(Code::kError, search.errors);
    result->nominated_node.emplace();
    return Status(Code::kUnschedulable, NotHelpful(state, std::move(search.failed)));
  }
  const PreemptionCandidate& best = LeastHarm(search.candidates);
  result->nominated_node = best.node;
  result->victims = best.victims.pods;
  return Status(Code::kSuccess,
                fmt::format("found a potential placement for pod on node {}, preempting {} victims",
                            best.node, best.victims.pods.size()));
}

DefaultPreemption::Search DefaultPreemption::FindCandidates(const CycleState& state,
                                                            const PodInfo& pod,
                                                            const NodeToStatus& statuses,
                                                            FilterTrial& trial) {
  std::vector<const NodeInfo*> nodes;
  for (const auto& [name, status] : statuses) {
    if (status.code() != Code::kUnschedulable) continue;
    if (const NodeInfo* node = state.snapshot().Find(name)) nodes.push_back(node);
  }
  Search search;
  if (nodes.empty()) return search;
  DisruptionBudgets budgets = listers_.disruption_budgets.List();
  // Those that allow nothing come first, so that who breaks one takes nothing from the others.
  std::sort(budgets.begin(), budgets.end(), [](const auto& a, const auto& b) {
    return std::tuple(a->disruptions_allowed, a->metadata.Key()) <
           std::tuple(b->disruptions_allowed, b->metadata.Key());
  });
  const std::size_t wanted = args_.CandidatesOf(nodes.size()), offset = rng_.Below(nodes.size());
  bool without_violation = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeInfo& node = *nodes[(offset + i) % nodes.size()];
    Victims victims;
    Status status = SelectVictims(trial, state, pod, node, budgets, &victims);
    if (status.ok() && victims.pods.empty()) {
      status = Status(Code::kError,
                      fmt::format("expected at least one victim pod on node \"{}\"", node.name()));
    }
    if (status.code() == Code::kError) Append(status.Message(), &search.errors);
    if (!status.ok()) {
      search.failed.emplace_back(node.name(), std::move(status));
      continue;
    }
    without_violation = without_violation || victims.violations == 0;
    search.candidates.push_back({node.name(), std::move(victims)});
    if (without_violation && search.candidates.size() >= wanted) break;
  }
  return search;
}

}  // namespace leadline

// What the filters would say of nodes that some of their Pods had left.
#include <algorithm>

#include "filter_run.h"
#include "leadline/framework/framework.h"

namespace leadline {
namespace {

// `verdict`, if any, is what PreFilter said of all nodes with everybody where they are.
Status JudgeWithout(FilterRun* run, const CycleState& state, const PodInfo& pod,
                    const Departure& departure, const std::optional<Status>& verdict) {
  NodeInfo node = *departure.node;
  CycleState emptied = state;
  bool left = false;
  for (const auto& other : departure.node->pods()) {
    const auto& uids = departure.uids;
    if (std::find(uids.begin(), uids.end(), other->uid()) == uids.end()) continue;
    Status removed = run->RemovePod(emptied, pod, other, node);
    if (!removed.ok()) return removed;
    left = true;
  }
  return verdict && !left ? *verdict : run->Filter(emptied, pod, node);
}

}  // namespace

std::vector<Status> Framework::FilterWithout(CycleState& state, const PodInfo& pod,
                                             const std::vector<Departure>& departures) {
  Feasibility found;
  std::optional<std::set<std::string>> names;
  RunPreFilter(state, pod, &found, &names);
  // A mere Unschedulable is said with a view to who is there now; anything else stays.
  const bool final = found.verdict && found.verdict->code() != Status::Code::kUnschedulable;
  FilterRun run = MakeFilterRun(state);
  std::vector<Status> statuses;
  for (const Departure& departure : departures) {
    if (final) {
      statuses.push_back(*found.verdict);
    } else if (names && names->count(departure.node->name()) == 0) {
      statuses.emplace_back(Status::Code::kUnschedulableAndUnresolvable,
                            AbsentReason(found.absent_by));
    } else {
      statuses.push_back(JudgeWithout(&run, state, pod, departure, found.verdict));
    }
  }
  TellEvaluations(run);
  return statuses;
}

}  // namespace leadline

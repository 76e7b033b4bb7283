// PreFilter and Filter, and the words for what they found.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filter_run.h"
#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {
namespace {

// Leaves in `names` (empty: all) what is in `wanted` too; true when that is nothing.
bool Intersect(const std::set<std::string>& wanted, std::optional<std::set<std::string>>* names) {
  if (!*names) {
    *names = wanted;
  } else {
    std::erase_if(**names, [&](const std::string& name) { return wanted.count(name) == 0; });
  }
  return (*names)->empty();
}

Status NoNodeLeft(const std::set<std::string>& by) {
  const std::string which = by.size() == 1
                                ? fmt::format("plugin {}", *by.begin())
                                : fmt::format("plugin(s) [{}] simultaneously", fmt::join(by, " "));
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                fmt::format("node(s) didn't satisfy {}", which));
}

// "2 a, 3 b", sorted as text: "10 a" comes before "2 b". Empty when there is nothing to count.
std::string InWords(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::map<std::string, std::size_t> CountReasons(const NodeToStatus& statuses) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [node, status] : statuses) {
    for (const std::string& reason : status.reasons()) ++counts[reason];
  }
  return counts;
}

}  // namespace

std::set<std::string> Feasibility::RejectingPlugins() const {
  std::set<std::string> plugins = absent_by;
  if (verdict && !verdict->plugin().empty()) plugins.insert(verdict->plugin());
  for (const auto& [node, status] : rejected) plugins.insert(status.plugin());
  return plugins;
}

std::string AbsentReason(const std::set<std::string>& plugins) {
  return fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(plugins, " "));
}

std::string FitErrorMessage(const Feasibility& feasibility, std::size_t nodes) {
  if (nodes == 0) return "no nodes available to schedule pods";
  std::string message = fmt::format("0/{} nodes are available:", nodes);
  const std::string& last = feasibility.post_filter_message;
  const std::string end = last.empty() ? "" : " " + last;
  if (feasibility.verdict) return message + " " + feasibility.verdict->Message() + "." + end;
  std::map<std::string, std::size_t> counts = CountReasons(feasibility.rejected);
  if (feasibility.absent > 0) counts[AbsentReason(feasibility.absent_by)] += feasibility.absent;
  if (!counts.empty()) message += fmt::format(" {}.", InWords(counts));
  return message + end;
}

std::string FitErrorMessage(const NodeToStatus& statuses, std::size_t nodes) {
  const std::string why = InWords(CountReasons(statuses));
  return fmt::format("0/{} nodes are available:{}", nodes, why.empty() ? "" : " " + why + ".");
}

Feasibility Framework::FindFeasible(CycleState& state, const PodInfo& pod) {
  Feasibility result;
  std::optional<std::set<std::string>> names;
  if (RunPreFilter(state, pod, &result, &names) && !TryNominated(state, pod, &result)) {
    RunFilters(state, pod, &result, names);
  }
  return result;
}

// False when the Pod was turned down for all nodes; the verdict is in `result` then.
bool Framework::RunPreFilter(CycleState& state, const PodInfo& pod, Feasibility* result,
                             std::optional<std::set<std::string>>* names) {
  Timed timed(observer_, ExtensionPoint::kPreFilter);
  state.skipped_filters.clear();
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  for (PreFilterPlugin* plugin : pre_filter_) {
    PreFilterResult restricted;
    Status status = CallPlugin(sampler, "PreFilter", *plugin,
                               [&] { return plugin->PreFilter(state, pod, &restricted); });
    if (status.skip()) {
      state.skipped_filters.emplace(plugin->Name());
      continue;
    }
    TellEvaluations(ExtensionPoint::kPreFilter, *plugin, 1);
    if (!status.ok()) {
      timed.set_code(status.code());
      result->verdict = Said(*plugin, "running PreFilter plugin \"{}\"", std::move(status));
      // After a mere Unschedulable the others run too: preemption will want what they found.
      if (result->verdict->code() != Status::Code::kUnschedulable) return false;
      continue;
    }
    if (!restricted.node_names) continue;
    result->absent_by.insert(std::string(plugin->Name()));
    if (!Intersect(*restricted.node_names, names)) continue;
    result->verdict = NoNodeLeft(result->absent_by);
    result->verdict->set_plugin(plugin->Name());
    timed.set_code(result->verdict->code());
    return false;
  }
  return !result->verdict;
}

FilterRun Framework::MakeFilterRun(const CycleState& state, EquivalenceClass* alike) const {
  return FilterRun(pre_filter_, filter_, state, nominator_, alike);
}

// The node that was cleared for the Pod is likely the only one where it fits. True when it does.
bool Framework::TryNominated(CycleState& state, const PodInfo& pod, Feasibility* result) {
  const std::string name = nominator_ == nullptr ? "" : nominator_->NodeOf(pod.uid());
  const NodeInfo* node = name.empty() ? nullptr : state.snapshot().Find(name);
  if (node == nullptr) return false;
  Timed timed(observer_, ExtensionPoint::kFilter);
  FilterRun run = MakeFilterRun(state);
  // An error too is no reason not to look at the others.
  const Status status = run.Filter(state, pod, *node);
  TellEvaluations(run);
  timed.set_code(status.code());
  if (!status.ok()) return false;
  result->feasible.push_back(node);
  result->by_nomination = true;
  return true;
}

void Framework::RunFilters(CycleState& state, const PodInfo& pod, Feasibility* result,
                           const std::optional<std::set<std::string>>& names) {
  Timed timed(observer_, ExtensionPoint::kFilter);
  FilterRun run = MakeFilterRun(state, equivalence_->Find(pod, state.snapshot()));
  const Snapshot::Nodes& nodes = state.snapshot().nodes();
  result->feasible.reserve(nodes.size());
  std::size_t judged = 0;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const auto& node = nodes[place];
    if (names && names->count(node->name()) == 0) {
      ++result->absent;
      continue;
    }
    run.set_sampler(state.sampled && judged++ < kTimedNodes ? observer_ : nullptr);
    Status status = run.FilterAt(place, state, pod, *node);
    if (status.ok()) {
      result->feasible.push_back(node.get());
      continue;
    }
    if (status.code() == Status::Code::kError) {
      result->feasible.clear();
      result->verdict = std::move(status);
      break;
    }
    result->rejected.emplace_back(node->name(), std::move(status));
  }
  TellEvaluations(run);
  if (result->verdict) {
    timed.set_code(result->verdict->code());
  } else if (result->feasible.empty()) {
    timed.set_code(Status::Code::kUnschedulable);
  }
}

void Framework::TellEvaluations(const FilterRun& run) const {
  for (std::size_t i = 0; i < run.filters().size(); ++i) {
    TellEvaluations(ExtensionPoint::kFilter, *run.filters()[i], run.calls()[i]);
  }
}

void Framework::TellEvaluations(ExtensionPoint point, const Plugin& plugin,
                                std::size_t count) const {
  if (observer_ != nullptr && count > 0) observer_->OnEvaluations(point, plugin.Name(), count);
}

}  // namespace leadline

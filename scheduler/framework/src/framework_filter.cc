// PreFilter and Filter, and the words for what they found.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {
namespace {

// So many nodes tell enough of a plugin's time; more would slow the cycle that is measured.
constexpr std::size_t kTimedNodes = 100;

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

// The first refusal counts.
Status Judge(const std::vector<FilterPlugin*>& filters, const CycleState& state, const PodInfo& pod,
             const NodeInfo& node, FrameworkObserver* sampler, std::vector<std::size_t>* calls) {
  for (std::size_t i = 0; i < filters.size(); ++i) {
    ++(*calls)[i];
    Status status = CallPlugin(sampler, "Filter", *filters[i],
                               [&] { return filters[i]->Filter(state, pod, node); });
    if (!status.ok()) return Said(*filters[i], "running \"{}\" filter plugin", std::move(status));
  }
  return {};
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
  std::map<std::string, std::size_t> counts;
  for (const auto& [node, status] : feasibility.rejected) {
    for (const std::string& reason : status.reasons()) ++counts[reason];
  }
  if (feasibility.absent > 0) counts[AbsentReason(feasibility.absent_by)] += feasibility.absent;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());  // as text: "10 a" comes before "2 b"
  if (!parts.empty()) message += fmt::format(" {}.", fmt::join(parts, ", "));
  return message + end;
}

Feasibility Framework::FindFeasible(CycleState& state, const PodInfo& pod) {
  Feasibility result;
  std::optional<std::set<std::string>> names;
  std::set<std::string> skipped;
  if (RunPreFilter(state, pod, &result, &names, &skipped)) {
    RunFilters(state, pod, &result, names, skipped);
  }
  return result;
}

// False when the Pod was turned down for all nodes; the verdict is in `result` then.
bool Framework::RunPreFilter(CycleState& state, const PodInfo& pod, Feasibility* result,
                             std::optional<std::set<std::string>>* names,
                             std::set<std::string>* skipped) {
  Timed timed(observer_, ExtensionPoint::kPreFilter);
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  for (PreFilterPlugin* plugin : pre_filter_) {
    PreFilterResult restricted;
    Status status = CallPlugin(sampler, "PreFilter", *plugin,
                               [&] { return plugin->PreFilter(state, pod, &restricted); });
    if (status.skip()) {
      skipped->insert(std::string(plugin->Name()));
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

void Framework::RunFilters(CycleState& state, const PodInfo& pod, Feasibility* result,
                           const std::optional<std::set<std::string>>& names,
                           const std::set<std::string>& skipped) {
  Timed timed(observer_, ExtensionPoint::kFilter);
  std::vector<FilterPlugin*> filters;
  for (FilterPlugin* plugin : filter_) {
    if (skipped.count(std::string(plugin->Name())) == 0) filters.push_back(plugin);
  }
  std::vector<std::size_t> calls(filters.size());
  std::size_t judged = 0;
  for (const auto& node : state.snapshot().nodes()) {
    if (names && names->count(node->name()) == 0) {
      ++result->absent;
      continue;
    }
    FrameworkObserver* const sampler =
        state.sampled && judged++ < kTimedNodes ? observer_ : nullptr;
    Status status = Judge(filters, state, pod, *node, sampler, &calls);
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
  for (std::size_t i = 0; i < filters.size(); ++i) {
    TellEvaluations(ExtensionPoint::kFilter, *filters[i], calls[i]);
  }
  if (result->verdict) {
    timed.set_code(result->verdict->code());
  } else if (result->feasible.empty()) {
    timed.set_code(Status::Code::kUnschedulable);
  }
}

void Framework::TellEvaluations(ExtensionPoint point, const Plugin& plugin,
                                std::size_t count) const {
  if (observer_ != nullptr && count > 0) observer_->OnEvaluations(point, plugin.Name(), count);
}

}  // namespace leadline

// PreFilter and Filter, and the words for what they found.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {

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
  if (feasibility.verdict) return message + " " + feasibility.verdict->Message() + ".";
  std::map<std::string, std::size_t> counts;
  for (const auto& [node, status] : feasibility.rejected) {
    for (const std::string& reason : status.reasons()) ++counts[reason];
  }
  if (feasibility.absent > 0) counts[AbsentReason(feasibility.absent_by)] += feasibility.absent;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());  // as text: "10 a" comes before "2 b"
  if (!parts.empty()) message += fmt::format(" {}.", fmt::join(parts, ", "));
  return message;
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
  std::vector<std::string> restricting;
  for (PreFilterPlugin* plugin : pre_filter_) {
    PreFilterResult restricted;
    Status status = plugin->PreFilter(state, pod, &restricted);
    if (status.skip()) {
      skipped->insert(std::string(plugin->Name()));
      continue;
    }
    if (!status.ok()) {
      status.set_plugin(plugin->Name());
      timed.set_code(status.code());
      const bool ends = status.code() != Status::Code::kUnschedulable;
      if (!result->verdict || ends) result->verdict = status;
      if (ends) return false;
    }
    if (!restricted.node_names) continue;
    restricting.emplace_back(plugin->Name());
    result->absent_by.insert(restricting.back());
    if (!*names) {
      *names = std::move(restricted.node_names);
    } else {
      std::erase_if(**names, [&](const auto& n) { return restricted.node_names->count(n) == 0; });
    }
    if ((*names)->empty()) {
      const std::string which =
          restricting.size() == 1
              ? fmt::format("plugin {}", restricting[0])
              : fmt::format("plugin(s) [{}] simultaneously", fmt::join(restricting, " "));
      result->verdict = Status(Status::Code::kUnschedulableAndUnresolvable,
                               fmt::format("node(s) didn't satisfy {}", which));
      result->verdict->set_plugin(restricting.back());
      timed.set_code(result->verdict->code());
      return false;
    }
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
  for (const auto& node : state.snapshot().nodes()) {
    if (names && names->count(node->name()) == 0) {
      ++result->absent;
      continue;
    }
    Status status;
    for (FilterPlugin* plugin : filters) {
      status = plugin->Filter(state, pod, *node);
      if (status.ok()) continue;
      status.set_plugin(plugin->Name());
      break;
    }
    if (status.ok()) {
      result->feasible.push_back(node.get());
    } else if (status.code() == Status::Code::kError) {
      timed.set_code(status.code());
      result->feasible.clear();
      result->verdict = std::move(status);
      return;
    } else {
      result->rejected.emplace_back(node->name(), std::move(status));
    }
  }
  if (result->feasible.empty()) timed.set_code(Status::Code::kUnschedulable);
}

}  // namespace leadline

// The extension points around PreFilter and Filter.
#include <algorithm>

#include <fmt/format.h>

#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {
namespace {

// Names the plugin in what it said, and turns an unexpected verdict into an error.
Status Said(const Plugin& plugin, Status status) {
  status.set_plugin(plugin.Name());
  return status;
}

}  // namespace

Status ScorePlugin::NormalizeScore(const CycleState&, const PodInfo&, std::span<std::int64_t>) {
  return {};
}

std::string_view ClusterEventName(ClusterEvent event) {
  switch (event) {
    case ClusterEvent::kNodeAdd:
      return "NodeAdd";
    case ClusterEvent::kNodeAllocatableUpdate:
      return "NodeUpdateNodeAllocatable";
    case ClusterEvent::kNodeLabelUpdate:
      return "NodeUpdateNodeLabel";
    case ClusterEvent::kNodeTaintUpdate:
      return "NodeUpdateNodeTaint";
    case ClusterEvent::kAssignedPodAdd:
      return "AssignedPodAdd";
    case ClusterEvent::kAssignedPodUpdate:
      return "AssignedPodUpdate";
    case ClusterEvent::kAssignedPodDelete:
      return "AssignedPodDelete";
    case ClusterEvent::kUnscheduledPodUpdate:
      return "UnscheduledPodUpdate";
    case ClusterEvent::kUnscheduledPodAdd:
      return "UnscheduledPodAdd";
  }
  return "Unknown";
}

Status Framework::RunPreEnqueue(const Pod& pod) const {
  for (const PreEnqueuePlugin* plugin : pre_enqueue_) {
    Status status = plugin->PreEnqueue(pod);
    if (!status.ok()) return Said(*plugin, std::move(status));
  }
  return {};
}

std::vector<std::string> Framework::PluginNames() const {
  std::vector<std::string> names;
  for (const auto& entry : plugins_) names.push_back(entry.first);
  return names;
}

std::set<ClusterEvent> Framework::EventsFor(std::string_view name) const {
  const auto found = plugins_.find(name);
  if (found == plugins_.end()) return {};
  const auto* extensions = dynamic_cast<const EnqueueExtensions*>(found->second.get());
  if (extensions == nullptr) return {};
  const std::vector<ClusterEvent> events = extensions->EventsToRegister();
  return {events.begin(), events.end()};
}

Status Framework::RunPostFilter(CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                                std::string* nominated) {
  Timed timed(observer_, ExtensionPoint::kPostFilter);
  Status last(Status::Code::kUnschedulable, "no PostFilter plugin could help");
  for (PostFilterPlugin* plugin : post_filter_) {
    last = Said(*plugin, plugin->PostFilter(state, pod, statuses, nominated));
    if (last.ok() || last.code() == Status::Code::kError) break;
  }
  timed.set_code(last.code());
  return last;
}

Status Framework::Prioritize(CycleState& state, const PodInfo& pod, NodeList feasible,
                             std::vector<NodeScore>* scores) {
  std::set<std::string_view> skipped;
  {
    Timed timed(observer_, ExtensionPoint::kPreScore);
    for (PreScorePlugin* plugin : pre_score_) {
      Status status = Said(*plugin, plugin->PreScore(state, pod, feasible));
      if (status.skip()) skipped.insert(plugin->Name());
      if (status.ok() || status.skip()) continue;
      timed.set_code(status.code());
      return status;
    }
  }
  Timed timed(observer_, ExtensionPoint::kScore);
  scores->clear();
  for (const NodeInfo* node : feasible) scores->push_back({node, 0});
  std::vector<std::int64_t> values(feasible.size());
  for (const auto& [plugin, weight] : score_) {
    if (skipped.count(plugin->Name()) != 0) continue;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      const Result<std::int64_t> value = plugin->Score(state, pod, *feasible[i], i);
      if (!value) {
        timed.set_code(Status::Code::kError);
        return Said(*plugin, Status(Status::Code::kError, value.error().message()));
      }
      values[i] = *value;
    }
    Status normalized = Said(*plugin, plugin->NormalizeScore(state, pod, values));
    if (!normalized.ok()) return normalized;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      if (values[i] < 0 || values[i] > kMaxNodeScore) {
        timed.set_code(Status::Code::kError);
        return Said(*plugin,
                    Status(Status::Code::kError, fmt::format("score {} is not between 0 and {}",
                                                             values[i], kMaxNodeScore)));
      }
      (*scores)[i].score += values[i] * weight;
    }
  }
  return {};
}

Status Framework::RunReserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  Timed timed(observer_, ExtensionPoint::kReserve);
  for (ReservePlugin* plugin : reserve_) {
    Status status = Said(*plugin, plugin->Reserve(state, pod, node));
    if (status.ok()) continue;
    timed.set_code(status.code());
    return status;
  }
  return {};
}

void Framework::RunUnreserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  for (auto plugin = reserve_.rbegin(); plugin != reserve_.rend(); ++plugin) {
    (*plugin)->Unreserve(state, pod, node);
  }
}

Status Framework::RunPermit(CycleState& state, const PodInfo& pod, const std::string& node) {
  Timed timed(observer_, ExtensionPoint::kPermit);
  for (PermitPlugin* plugin : permit_) {
    Status status = Said(*plugin, plugin->Permit(state, pod, node));
    if (status.ok()) continue;
    timed.set_code(status.code());
    return status;
  }
  return {};
}

void Framework::RunPreBindAndBind(CycleState& state, const PodInfo& pod, const std::string& node,
                                  StatusCallback done) {
  PreBindFrom(0, state, pod, node, std::move(done));
}

void Framework::PreBindFrom(std::size_t index, CycleState& state, const PodInfo& pod,
                            const std::string& node, StatusCallback done) {
  if (index == pre_bind_.size()) return BindFrom(0, state, pod, node, std::move(done));
  PreBindPlugin* plugin = pre_bind_[index];
  plugin->PreBind(state, pod, node,
                  [this, index, plugin, &state, &pod, &node, done = std::move(done)](Status said) {
                    if (!said.ok() && !said.skip()) return done(Said(*plugin, std::move(said)));
                    PreBindFrom(index + 1, state, pod, node, done);
                  });
}

void Framework::BindFrom(std::size_t index, CycleState& state, const PodInfo& pod,
                         const std::string& node, StatusCallback done) {
  if (index == bind_.size()) {
    return done(Status(Status::Code::kError, "every Bind plugin skipped the Pod"));
  }
  BindPlugin* plugin = bind_[index];
  plugin->Bind(state, pod, node,
               [this, index, plugin, &state, &pod, &node, done = std::move(done)](Status said) {
                 if (said.skip()) return BindFrom(index + 1, state, pod, node, done);
                 done(Said(*plugin, std::move(said)));
               });
}

void Framework::RunPostBind(CycleState& state, const PodInfo& pod, const std::string& node) {
  Timed timed(observer_, ExtensionPoint::kPostBind);
  for (PostBindPlugin* plugin : post_bind_) plugin->PostBind(state, pod, node);
}

}  // namespace leadline

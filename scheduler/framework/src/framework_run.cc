// The extension points around PreFilter and Filter.
#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "equivalence_cache.h"
#include "filter_run.h"
#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {
namespace {

constexpr std::chrono::nanoseconds kMaxPermitWait = std::chrono::minutes(15);
constexpr std::string_view kScoreFailed = "running Score plugins: plugin \"{}\" failed with";

// Where the nodes are in the snapshot; both are in the same order.
std::vector<std::size_t> PlacesOf(NodeList nodes, const Snapshot& snapshot) {
  std::vector<std::size_t> places;
  places.reserve(nodes.size());
  std::size_t place = 0;
  for (const NodeInfo* node : nodes) {
    while (place < snapshot.nodes().size() && snapshot.nodes()[place].get() != node) ++place;
    places.push_back(place);
  }
  return places;
}

}  // namespace

// What the Score plugins of one cycle are asked about.
struct Framework::ScoreRun {
  CycleState& state;
  const PodInfo& pod;
  NodeList feasible;
  std::vector<std::size_t> places;  // of these nodes in the snapshot, where `alike` is not null
  EquivalenceClass* alike;          // null: nothing is kept
};

Status ScorePlugin::NormalizeScore(const CycleState&, const PodInfo&, std::span<std::int64_t>) {
  return {};
}

bool EnqueueExtensions::Helps(const Pod&, const ClusterChange&) const { return true; }

Status PreFilterPlugin::AddPod(CycleState&, const PodInfo&, const PodInfo&, const NodeInfo&) {
  return {};
}

Status PreFilterPlugin::RemovePod(CycleState&, const PodInfo&, const PodInfo&, const NodeInfo&) {
  return {};
}

Status Framework::RunPreEnqueue(const Pod& pod) const {
  for (const PreEnqueuePlugin* plugin : pre_enqueue_) {
    Status status = plugin->PreEnqueue(pod);
    if (!status.ok()) return Said(*plugin, "running PreEnqueue plugin \"{}\"", std::move(status));
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
  std::set<ClusterEvent> events;
  const auto* extensions = dynamic_cast<const EnqueueExtensions*>(found->second.get());
  if (extensions == nullptr) {
    for (int i = 0; i < kClusterEvents; ++i) events.insert(static_cast<ClusterEvent>(i));
  } else {
    for (ClusterEvent event : extensions->EventsToRegister()) events.insert(event);
  }
  return events;
}

Framework::Hint Framework::HintOf(std::string_view name) const {
  const auto found = plugins_.find(name);
  if (found == plugins_.end()) return [](const Pod&, const ClusterChange&) { return false; };
  const auto* extensions = dynamic_cast<const EnqueueExtensions*>(found->second.get());
  if (extensions == nullptr) return [](const Pod&, const ClusterChange&) { return true; };
  return [extensions](const Pod& waiting, const ClusterChange& change) {
    return extensions->Helps(waiting, change);
  };
}

Status Framework::RunPostFilter(CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                                PostFilterResult* result) {
  Timed timed(observer_, ExtensionPoint::kPostFilter);
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  FilterRun trial = MakeFilterRun(state);
  std::vector<std::string> reasons;
  for (PostFilterPlugin* plugin : post_filter_) {
    PostFilterResult wanted;
    Status status = CallPlugin(sampler, "PostFilter", *plugin, [&] {
      return plugin->PostFilter(state, pod, statuses, trial, &wanted);
    });
    status.set_plugin(plugin->Name());
    if (wanted.nominated_node && status.code() != Status::Code::kError) {
      *result = std::move(wanted);
    }
    if (status.code() != Status::Code::kUnschedulable) {  // helped, cannot be helped, or failed
      TellEvaluations(trial);
      timed.set_code(status.code());
      return status;
    }
    reasons.insert(reasons.end(), status.reasons().begin(), status.reasons().end());
  }
  TellEvaluations(trial);
  timed.set_code(Status::Code::kUnschedulable);
  return Status(Status::Code::kUnschedulable, std::move(reasons));
}

Status Framework::RunPreScore(CycleState& state, const PodInfo& pod, NodeList feasible,
                              std::set<std::string_view>* skipped) {
  Timed timed(observer_, ExtensionPoint::kPreScore);
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  for (PreScorePlugin* plugin : pre_score_) {
    Status status = CallPlugin(sampler, "PreScore", *plugin,
                               [&] { return plugin->PreScore(state, pod, feasible); });
    if (status.skip()) {
      skipped->insert(plugin->Name());
      continue;
    }
    TellEvaluations(ExtensionPoint::kPreScore, *plugin, 1);
    if (status.ok()) continue;
    timed.set_code(status.code());
    return Said(*plugin, "running PreScore plugin \"{}\"", std::move(status));
  }
  return {};
}

Status Framework::Prioritize(CycleState& state, const PodInfo& pod, NodeList feasible,
                             std::vector<NodeScore>* scores) {
  std::set<std::string_view> skipped;
  if (Status status = RunPreScore(state, pod, feasible, &skipped); !status.ok()) return status;
  Timed timed(observer_, ExtensionPoint::kScore);
  scores->clear();
  for (const NodeInfo* node : feasible) scores->push_back({node, 0});
  ScoreRun run{state, pod, feasible, {}, equivalence_->Find(pod, state.snapshot())};
  if (run.alike != nullptr) {
    run.places = PlacesOf(feasible, state.snapshot());
    run.alike->scores.resize(score_.size());
  }
  for (std::size_t i = 0; i < score_.size(); ++i) {
    if (skipped.count(score_[i].plugin->Name()) != 0) continue;
    Status status = RunScore(i, run, scores);
    if (status.ok()) continue;
    timed.set_code(status.code());
    return status;
  }
  return {};
}

// The plugin's score of these nodes, or what it gave them for a Pod alike.
Result<void> Framework::ScoreNodes(std::size_t index, ScoreRun& run, EquivalenceClass* alike,
                                   std::size_t first, std::span<std::int64_t> values) {
  const WeightedScore& score = score_[index];
  KeptAnswers<std::int64_t>* const kept =
      score.local && alike != nullptr ? &alike->scores[index] : nullptr;
  std::size_t asked = 0;
  for (std::size_t i = first; i < first + values.size(); ++i) {
    const NodeInfo& node = *run.feasible[i];
    if (const std::int64_t* known = kept == nullptr ? nullptr : kept->Find(run.places[i])) {
      values[i - first] = *known;
      continue;
    }
    const Result<std::int64_t> value = score.plugin->Score(run.state, run.pod, node, i);
    if (!value) return value.error();
    ++asked;
    values[i - first] = *value;
    if (kept != nullptr) kept->Keep(run.places[i], *value);
  }
  TellEvaluations(ExtensionPoint::kScore, *score.plugin, asked);
  return {};
}

// Score of each node, NormalizeScore, and the weighted sum.
Status Framework::RunScore(std::size_t index, ScoreRun& run, std::vector<NodeScore>* scores) {
  CycleState& state = run.state;
  const NodeList feasible = run.feasible;
  const WeightedScore& score = score_[index];
  ScorePlugin* const plugin = score.plugin;
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  const auto failed = [plugin](std::string text) {
    return Said(*plugin, kScoreFailed, Status(Status::Code::kError, std::move(text)));
  };
  std::vector<std::int64_t> values(feasible.size());
  const std::span<std::int64_t> all(values);
  const std::size_t timed = sampler == nullptr ? 0 : std::min(kTimedNodes, all.size());
  const TimedClock::time_point start = TimedClock::now();
  Result<void> scored = ScoreNodes(index, run, nullptr, 0, all.first(timed));
  if (scored && timed > 0) {  // the mean of one node's
    sampler->OnPlugin("Score", plugin->Name(), Status::Code::kSuccess,
                      SecondsSince(start) / static_cast<double>(timed));
  }
  if (scored) scored = ScoreNodes(index, run, run.alike, timed, all.subspan(timed));
  if (!scored) return failed(scored.error().message());
  Status status = CallPlugin(sampler, "ScoreExtensionNormalize", *plugin,
                             [&] { return plugin->NormalizeScore(state, run.pod, values); });
  if (!status.ok()) return failed("NormalizeScore: " + status.Message());
  const bool tell = spdlog::should_log(spdlog::level::trace);
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (values[i] < 0 || values[i] > kMaxNodeScore) {
      return failed(fmt::format("score {} of {} is not between 0 and {}", values[i],
                                feasible[i]->name(), kMaxNodeScore));
    }
    (*scores)[i].score += values[i] * score.weight;
    // One line a node and plugin: for who asks why, and for comparisons with kube-scheduler.
    if (tell) {
      spdlog::trace("score of {} by {} on {}: {}", run.pod.pod->metadata.Key(), plugin->Name(),
                    feasible[i]->name(), values[i] * score.weight);
    }
  }
  return {};
}

Status Framework::RunReserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  Timed timed(observer_, ExtensionPoint::kReserve);
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  for (ReservePlugin* plugin : reserve_) {
    Status status =
        CallPlugin(sampler, "Reserve", *plugin, [&] { return plugin->Reserve(state, pod, node); });
    if (status.ok()) continue;
    timed.set_code(status.code());
    return Said(*plugin, "running Reserve plugin \"{}\"", std::move(status));
  }
  return {};
}

void Framework::RunUnreserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  for (auto plugin = reserve_.rbegin(); plugin != reserve_.rend(); ++plugin) {
    (*plugin)->Unreserve(state, pod, node);
  }
}

Status Framework::RunPermit(CycleState& state, const PodInfo& pod, const std::string& node,
                            PermitWaits* waits) {
  Timed timed(observer_, ExtensionPoint::kPermit);
  FrameworkObserver* const sampler = state.sampled ? observer_ : nullptr;
  Status waiting;
  waits->clear();
  for (PermitPlugin* plugin : permit_) {
    std::chrono::nanoseconds wait{0};
    Status status = CallPlugin(sampler, "Permit", *plugin,
                               [&] { return plugin->Permit(state, pod, node, &wait); });
    if (status.ok()) continue;
    timed.set_code(status.code());
    if (status.code() != Status::Code::kWait) {
      waits->clear();
      if (!status.rejected()) status = Status(Status::Code::kError, status.reasons());
      return Said(*plugin, "running Permit plugin \"{}\"", std::move(status));
    }
    waits->emplace_back(plugin->Name(), std::min(wait, kMaxPermitWait));
    waiting = std::move(status);
  }
  return waiting;
}

void Framework::RunPostBind(CycleState& state, const PodInfo& pod, const std::string& node) {
  Timed timed(observer_, ExtensionPoint::kPostBind);
  for (PostBindPlugin* plugin : post_bind_) plugin->PostBind(state, pod, node);
}

}  // namespace leadline

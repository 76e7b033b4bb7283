// Runs the plugins of one profile at each extension point, in kube-scheduler's way.
// k8s.io/kubernetes/pkg/scheduler/framework/runtime.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/framework/nominator.h"
#include "leadline/framework/plugin.h"
#include "leadline/framework/profile.h"
#include "leadline/framework/registry.h"

namespace leadline {

// What PreFilter and Filter found for one Pod.
struct Feasibility {
  std::vector<const NodeInfo*> feasible;  // in the order of the snapshot
  NodeToStatus rejected;                  // the others that were looked at, likewise
  // PreFilter turned the Pod down for all nodes alike (then the two above are empty), or a plugin
  // failed (kError).
  std::optional<Status> verdict;
  // Nodes left out by PreFilter results, and the plugins that did it.
  std::size_t absent = 0;
  std::set<std::string> absent_by;
  std::string post_filter_message;  // what PostFilter plugins had to say
  // `feasible` is the node that the Pod is nominated to, no other was looked at.
  bool by_nomination = false;

  std::set<std::string> RejectingPlugins() const;
};

// "0/5 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s)."
std::string FitErrorMessage(const Feasibility& feasibility, std::size_t nodes);

// The same for verdicts on all the nodes: COUNT REASON, ..., in the order of the text.
std::string FitErrorMessage(const NodeToStatus& statuses, std::size_t nodes);

// The reason given for a node that PreFilter results left out.
std::string AbsentReason(const std::set<std::string>& plugins);

struct NodeScore {
  const NodeInfo* node = nullptr;
  std::int64_t score = 0;  // weighted sum over the Score plugins
};

// Pods that would leave a node, by UID; who is not there is passed over.
struct Departure {
  const NodeInfo* node = nullptr;
  std::vector<std::string> uids;
};

// Told how long each step took; on the thread that ran it.
class FrameworkObserver {
 public:
  virtual ~FrameworkObserver() = default;
  virtual void OnExtensionPoint(ExtensionPoint point, Status::Code code, double seconds) = 0;
  // How often a plugin had something to say: once for each node at Filter and Score.
  virtual void OnEvaluations(ExtensionPoint point, std::string_view plugin, std::size_t count) = 0;
  // One call of a plugin, in sampled cycles only. `step` is the name of the extension point, or
  // "ScoreExtensionNormalize".
  virtual void OnPlugin(std::string_view step, std::string_view plugin, Status::Code code,
                        double seconds) = 0;
};

class FilterRun;
class EquivalenceCache;
struct EquivalenceClass;

// The methods run on one thread at a time; PreEnqueue and Less are safe on any, and from
// RunUnreserve on each Pod may have a thread of its own.
class Framework {
 public:
  // kInvalidArgument naming what is wrong: an unknown plugin, one that does not implement the
  // point it is enabled at, a name given twice, no QueueSort or Bind, a weight out of range, a
  // Filter or Score whose plugin's PreFilter or PreScore is switched off.
  // Mistakes in plugin arguments are reported to `document` (may be null).
  static Result<std::unique_ptr<Framework>> Make(const ProfileConfig& profile,
                                                 const PluginRegistry& registry,
                                                 const YamlDocument* document);

  // kInvalidArgument when these cannot run in one process: there is one queue, so its order is one,
  // and a Pod's schedulerName says which of them it is for.
  static Result<void> CheckTogether(const std::vector<std::unique_ptr<Framework>>& profiles);

  ~Framework();

  const std::string& profile() const { return profile_; }
  void set_observer(FrameworkObserver* observer) { observer_ = observer; }
  // With one, nominations count: a nominated Pod is tried on its node first, and no Pod takes the
  // room of one that is nominated and at least as important. It must outlive the framework's use.
  void set_nominator(const Nominator* nominator) { nominator_ = nominator; }

  Status RunPreEnqueue(const Pod& pod) const;
  const QueueSortPlugin& queue_sort() const { return *queue_sort_; }
  // Which events could help a Pod that `plugin` turned down; all, when the plugin does not say.
  std::set<ClusterEvent> EventsFor(std::string_view plugin) const;
  // Tells whether one of these could help a waiting Pod. Safe on any thread, as long as this lives.
  using Hint = std::function<bool(const Pod& waiting, const ClusterChange& change)>;
  Hint HintOf(std::string_view plugin) const;

  Feasibility FindFeasible(CycleState& state, const PodInfo& pod);
  // What PreFilter and Filter would say of each node, in the order given, if those Pods had left
  // it. Each is a world of its own: elsewhere everybody stays.
  std::vector<Status> FilterWithout(CycleState& state, const PodInfo& pod,
                                    const std::vector<Departure>& departures);
  // What the PostFilter plugins, if any, can do for a Pod that fits nowhere, after FindFeasible
  // with the same state.
  Status RunPostFilter(CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                       PostFilterResult* result);
  bool has_post_filter() const { return !post_filter_.empty(); }
  // PreScore, Score and NormalizeScore. kDeferred or kError when PreScore says so.
  Status Prioritize(CycleState& state, const PodInfo& pod, NodeList feasible,
                    std::vector<NodeScore>* scores);
  Status RunReserve(CycleState& state, const PodInfo& pod, const std::string& node);
  void RunUnreserve(CycleState& state, const PodInfo& pod, const std::string& node);
  // kWait, with who asked for it, when some plugin wants to wait and none turned the Pod down.
  Status RunPermit(CycleState& state, const PodInfo& pod, const std::string& node,
                   PermitWaits* waits);
  // PreBind plugins one after the other, then the Bind plugins until one does not skip. `state`,
  // `pod` and the framework must live until `done` is called.
  void RunPreBindAndBind(CycleState& state, const PodInfo& pod, const std::string& node,
                         StatusCallback done);
  void RunPostBind(CycleState& state, const PodInfo& pod, const std::string& node);

  std::vector<std::string> PluginNames() const;

 private:
  struct WeightedScore {
    ScorePlugin* plugin;
    std::int64_t weight;
    bool local;  // NodeLocal
  };
  struct ScoreRun;

  Framework();
  Result<void> Instantiate(const ProfileConfig& profile, const PluginRegistry& registry,
                           const YamlDocument* document);
  Result<void> Assign(const ProfileConfig& profile);
  Result<void> AssignOne(ExtensionPoint point, const EnabledPlugin& enabled);
  Result<void> CheckPrepared() const;
  bool RunPreFilter(CycleState& state, const PodInfo& pod, Feasibility* result,
                    std::optional<std::set<std::string>>* names);
  FilterRun MakeFilterRun(const CycleState& state, EquivalenceClass* alike = nullptr) const;
  bool TryNominated(CycleState& state, const PodInfo& pod, Feasibility* result);
  void RunFilters(CycleState& state, const PodInfo& pod, Feasibility* result,
                  const std::optional<std::set<std::string>>& names);
  void TellEvaluations(const FilterRun& run) const;
  void TellEvaluations(ExtensionPoint point, const Plugin& plugin, std::size_t count) const;
  Status RunPreScore(CycleState& state, const PodInfo& pod, NodeList feasible,
                     std::set<std::string_view>* skipped);
  Status RunScore(std::size_t index, ScoreRun& run, std::vector<NodeScore>* scores);
  Result<void> ScoreNodes(std::size_t index, ScoreRun& run, EquivalenceClass* alike,
                          std::size_t first, std::span<std::int64_t> values);
  void BindFrom(std::size_t index, CycleState& state, const PodInfo& pod, const std::string& node,
                StatusCallback done);
  void PreBindFrom(std::size_t index, CycleState& state, const PodInfo& pod,
                   const std::string& node, StatusCallback done);

  std::string profile_;
  PluginMap plugins_;
  FrameworkObserver* observer_ = nullptr;
  const Nominator* nominator_ = nullptr;
  std::vector<PreEnqueuePlugin*> pre_enqueue_;
  QueueSortPlugin* queue_sort_ = nullptr;
  std::vector<PreFilterPlugin*> pre_filter_;
  std::vector<FilterPlugin*> filter_;
  std::vector<PostFilterPlugin*> post_filter_;
  std::vector<PreScorePlugin*> pre_score_;
  std::vector<WeightedScore> score_;
  std::vector<ReservePlugin*> reserve_;
  std::vector<PermitPlugin*> permit_;
  std::vector<PreBindPlugin*> pre_bind_;
  std::vector<BindPlugin*> bind_;
  std::vector<PostBindPlugin*> post_bind_;
  std::unique_ptr<EquivalenceCache> equivalence_;
};

}  // namespace leadline

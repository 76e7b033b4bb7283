// What a plugin is: the extension points of the scheduling framework under their standard names.
// https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/ (KEP-624)
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/framework/cluster_event.h"
#include "leadline/framework/cycle_state.h"
#include "leadline/framework/node_info.h"
#include "leadline/framework/status.h"

namespace leadline {

struct QueuedPodInfo;

// Plugins are made once a profile. Every method runs on the scheduling thread unless it says
// otherwise; Unreserve, PreBind and Bind also where a wait or a binding ended. What a plugin shares
// with other threads it guards itself.
class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view Name() const = 0;
};

// Says which events could help a Pod that this plugin turned down.
class EnqueueExtensions : public virtual Plugin {
 public:
  virtual std::vector<ClusterEvent> EventsToRegister() const = 0;
  // Whether this change, of a registered event, could help `waiting` (a queueing hint, KEP-4247).
  // In doubt true: a needless attempt costs time, a missed one a Pod. On the thread of the event,
  // stateless.
  virtual bool Helps(const Pod& waiting, const ClusterChange& change) const;
};

class PreEnqueuePlugin : public virtual Plugin {
 public:
  // Runs before a Pod may enter the active queue; on the thread of the event. Stateless.
  virtual Status PreEnqueue(const Pod& pod) const = 0;
};

class QueueSortPlugin : public virtual Plugin {
 public:
  // A strict weak order; runs under the queue's lock.
  virtual bool Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const = 0;
};

// Marks a plugin whose Filter and Score depend on nothing but its arguments, the node with the Pods
// on it, and of the Pod its amounts, node name, node selector, node affinity, tolerations,
// containers and host settings: not on CycleState, other nodes, other objects or time. The
// Framework asks it once for Pods that are alike in these, as long as the node does not change.
class NodeLocal : public virtual Plugin {};

// Nodes worth filtering; empty optional: all.
struct PreFilterResult {
  std::optional<std::set<std::string>> node_names;
};

class PreFilterPlugin : public virtual Plugin {
 public:
  // kSkip switches the plugin's Filter off for this Pod.
  virtual Status PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult* result) = 0;
  // Bring what PreFilter wrote into `state` up to date with one Pod more or less on `node`, to try
  // preemption and nominated Pods; `node` is already in that state. Plugins that count Pods only.
  virtual Status AddPod(CycleState& state, const PodInfo& pod, const PodInfo& added,
                        const NodeInfo& node);
  virtual Status RemovePod(CycleState& state, const PodInfo& pod, const PodInfo& removed,
                           const NodeInfo& node);
};

class FilterPlugin : public virtual Plugin {
 public:
  // Reads memory only.
  virtual Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) = 0;
};

// Other worlds, tried on copies: what the Filter plugins would say with Pods more or less.
class FilterTrial {
 public:
  virtual ~FilterTrial() = default;
  // Bring `node`, and what PreFilter wrote into `state` for `pod`, up to date with one Pod more or
  // less there.
  virtual Status AddPod(CycleState& state, const PodInfo& pod,
                        const std::shared_ptr<const PodInfo>& added, NodeInfo& node) = 0;
  virtual Status RemovePod(CycleState& state, const PodInfo& pod,
                           const std::shared_ptr<const PodInfo>& removed, NodeInfo& node) = 0;
  // All Filter plugins. Pods of equal or higher priority that are nominated to the node count.
  virtual Status Filter(const CycleState& state, const PodInfo& pod, const NodeInfo& node) = 0;
  // The node that the Pod is nominated to; empty: none.
  virtual std::string NominatedNode(const PodInfo& pod) const = 0;
};

// What a PostFilter plugin wants done for a Pod that fits nowhere.
struct PostFilterResult {
  // The node it is nominated to from now on, empty: to none any more. Absent: as before.
  std::optional<std::string> nominated_node;
  // Pods that have to leave that node.
  std::vector<std::shared_ptr<const PodInfo>> victims;
};

class PostFilterPlugin : public virtual Plugin {
 public:
  // Called when no node is feasible. kSuccess with a nominated node: the Pod may fit there soon.
  virtual Status PostFilter(CycleState& state, const PodInfo& pod, const NodeToStatus& statuses,
                            FilterTrial& trial, PostFilterResult* result) = 0;
};

using NodeList = std::span<const NodeInfo* const>;

class PreScorePlugin : public virtual Plugin {
 public:
  // kSkip switches the plugin's Score off; kDeferred ends the cycle, the Pod waits.
  virtual Status PreScore(CycleState& state, const PodInfo& pod, NodeList feasible) = 0;
};

inline constexpr std::int64_t kMaxNodeScore = 100;

class ScorePlugin : public virtual Plugin {
 public:
  // Called for each feasible node; `index` is its place in PreScore's list. Reads memory only.
  virtual Result<std::int64_t> Score(const CycleState& state, const PodInfo& pod,
                                     const NodeInfo& node, std::size_t index) = 0;
  // Brings the scores into 0..kMaxNodeScore; the default leaves them.
  virtual Status NormalizeScore(const CycleState& state, const PodInfo& pod,
                                std::span<std::int64_t> scores);
};

class ReservePlugin : public virtual Plugin {
 public:
  virtual Status Reserve(CycleState& state, const PodInfo& pod, const std::string& node) = 0;
  // Undoes Reserve; called for all Reserve plugins in reverse order, also for one that failed.
  virtual void Unreserve(CycleState& state, const PodInfo& pod, const std::string& node) = 0;
};

// The Permit plugins that asked to wait, and for how long at most.
using PermitWaits = std::vector<std::pair<std::string, std::chrono::nanoseconds>>;

class PermitPlugin : public virtual Plugin {
 public:
  // kWait holds the Pod, for `wait` at most (15 minutes if longer), until the plugin allows or
  // rejects it through WaitingPods; other Pods are scheduled meanwhile.
  virtual Status Permit(CycleState& state, const PodInfo& pod, const std::string& node,
                        std::chrono::nanoseconds* wait) = 0;
};

// Completion of an asynchronous step: call it exactly once, from any thread.
using StatusCallback = std::function<void(Status)>;

class PreBindPlugin : public virtual Plugin {
 public:
  virtual void PreBind(CycleState& state, const PodInfo& pod, const std::string& node,
                       StatusCallback done) = 0;
};

class BindPlugin : public virtual Plugin {
 public:
  // kSkip hands the Pod to the next Bind plugin.
  virtual void Bind(CycleState& state, const PodInfo& pod, const std::string& node,
                    StatusCallback done) = 0;
};

class PostBindPlugin : public virtual Plugin {
 public:
  // After a binding that succeeded; on the thread that completed it.
  virtual void PostBind(CycleState& state, const PodInfo& pod, const std::string& node) = 0;
};

}  // namespace leadline

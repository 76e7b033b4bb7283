// Which Pod next: active, backoff and unschedulable Pods.
// k8s.io/kubernetes/pkg/scheduler/backend/queue; queueing hints are KEP-4247, popping from the
// backoff KEP-5142.
#pragma once

#include <bitset>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "leadline/base/clock.h"
#include "leadline/framework/cluster_event.h"
#include "leadline/framework/queued_pod_info.h"

namespace leadline {

// A set of events.
using ClusterEvents = std::bitset<kClusterEvents>;

struct SchedulingQueueOptions {
  std::chrono::nanoseconds initial_backoff{std::chrono::seconds(1)};
  std::chrono::nanoseconds max_backoff{std::chrono::seconds(10)};
  // Backoffs end together at multiples of this, so that those of about the same age are ordered as
  // active Pods are, not by chance. Above zero.
  std::chrono::nanoseconds backoff_window{std::chrono::seconds(1)};
  // A Pod that no event woke for this long is tried again all the same.
  std::chrono::nanoseconds max_in_unschedulable{std::chrono::minutes(5)};
};

// Where Pods wait, and how they came there.
enum class QueueName { kActive, kBackoff, kUnschedulable, kGated };
std::string_view QueueNameLabel(QueueName queue);

// What a plugin says of changes to the Pods that it turned down.
struct PluginHints {
  ClusterEvents events;  // the kinds that could help at all
  // Whether this one, of such a kind, could help this Pod. Called under the queue's lock.
  std::function<bool(const Pod&, const ClusterChange&)> helps;
};

// The hooks that the queue asks; set once before use. All are called under the queue's lock.
struct SchedulingQueueHooks {
  // Order of the active Pods.
  std::function<bool(const QueuedPodInfo&, const QueuedPodInfo&)> less;
  // The plugin that does not let the Pod in yet (PreEnqueue); empty: none.
  std::function<std::string(const Pod&)> gated_by;
  // Asked once for each profile (schedulerName) and plugin.
  std::function<PluginHints(const std::string& profile, const std::string& plugin)> hints_of;
  // Told of every Pod that enters a queue, and why ("UnscheduledPodAdd", ...). May be empty.
  std::function<void(QueueName, std::string_view event)> on_enter;
};

// Whom an event may wake.
struct Audience {
  int highest_priority = std::numeric_limits<int>::max();
  std::string except;  // UID of one that it is no news to

  bool Includes(const Pod& pod) const {
    return pod.Priority() <= highest_priority && pod.metadata.uid != except;
  }
};

// Thread-safe; time comes from the clock, and moves Pods only when Pop, Flush or an event looks.
class SchedulingQueue {
 public:
  using Entry = std::shared_ptr<QueuedPodInfo>;

  SchedulingQueue(SchedulingQueueOptions options, SchedulingQueueHooks hooks,
                  const Clock& clock = Clock::Real());
  ~SchedulingQueue();
  SchedulingQueue(const SchedulingQueue&) = delete;
  SchedulingQueue& operator=(const SchedulingQueue&) = delete;

  // A Pod that wants a node: new, or changed while it waits. Unknown UIDs are added. One that was
  // turned down is woken if a plugin's hint says so (kUnscheduledPodUpdate).
  void Set(std::shared_ptr<const Pod> pod);
  // A newer state of a Pod that differs in nothing scheduling reads (its status): what is known of
  // it is brought up to date, nothing moves. Unknown UIDs are ignored.
  void Refresh(std::shared_ptr<const Pod> pod);
  // It is gone, or has a node.
  void Remove(std::string_view uid);
  // Whether the Pod waits or is in flight.
  bool Contains(std::string_view uid) const;

  // The next Pod, marked as in flight; waits for one at most `wait`. When no Pod is active, the
  // first of those that plugins turned down need not end its backoff. Null when there is none in
  // time or the queue is closed.
  Entry Pop(std::chrono::nanoseconds wait);
  // Ends the flight of a popped Pod that needs no other attempt (it was bound, or is gone).
  void Done(std::string_view uid);

  // Ends the flight of a popped Pod that failed. With `plugins` it waits for a change that could
  // help one of them (one during the flight counts); without, something went wrong that has
  // nothing to do with the cluster, and it waits for all of its backoff.
  void AddUnschedulable(const Entry& entry, std::set<std::string> plugins);
  // The policy put it off: it waits for all of its backoff, and the deferral is counted.
  void AddDeferred(const Entry& entry);

  // Wakes those that the change could help.
  void OnEvent(const ClusterChange& change, const Audience& audience = {});
  // A plugin wants the Pod tried now, or once more if it is in flight and fails.
  void Activate(std::string_view uid);
  // Moves what its backoff or its patience with the unschedulable Pods ended; call it often.
  void Flush();

  void Close();  // wakes Pop for good

  struct Sizes {
    std::size_t active = 0, backoff = 0, unschedulable = 0, gated = 0, in_flight = 0;
  };
  Sizes sizes() const;
  // Waiting Pods by plugin that turned them down and schedulerName.
  std::map<std::pair<std::string, std::string>, std::size_t> UnschedulableByPlugin() const;

 private:
  class State;

  void EndFlight(const Entry& entry, std::set<std::string> plugins, int failures);

  const Clock& clock_;
  std::unique_ptr<State> state_;
};

}  // namespace leadline

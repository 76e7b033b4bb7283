// Which Pod next: active, backoff and unschedulable Pods.
// k8s.io/kubernetes/pkg/scheduler/backend/queue.
#pragma once

#include <bitset>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/plugin.h"
#include "leadline/framework/queued_pod_info.h"

namespace leadline {

// A set of events.
using ClusterEvents = std::bitset<kClusterEvents>;

struct SchedulingQueueOptions {
  std::chrono::nanoseconds initial_backoff{std::chrono::seconds(1)};
  std::chrono::nanoseconds max_backoff{std::chrono::seconds(10)};
  // A Pod that no event woke for this long is tried again all the same.
  std::chrono::nanoseconds max_in_unschedulable{std::chrono::minutes(5)};
};

// Where Pods are now, and how they came there.
enum class QueueName { kActive, kBackoff, kUnschedulable, kGated };
std::string_view QueueNameLabel(QueueName queue);

// The hooks that the queue asks; set once before use.
struct SchedulingQueueHooks {
  // Order of the active Pods.
  std::function<bool(const QueuedPodInfo&, const QueuedPodInfo&)> less;
  // Whether a Pod may become active at all (PreEnqueue).
  std::function<bool(const Pod&)> may_enqueue;
  // The events that could help a Pod that this plugin turned down.
  std::function<ClusterEvents(std::string_view plugin)> events_of;
  // Whether one of these, with what changed, could help this Pod (a queueing hint).
  std::function<bool(const Pod&, std::string_view plugin, const ClusterChange&)> helps;
  // Told of every Pod that enters a queue, and why ("UnscheduledPodAdd", ...), under the queue's
  // lock. May be empty.
  std::function<void(QueueName, std::string_view event)> on_enter;
};

// Thread-safe; time comes from the clock, and moves Pods only when Pop, Flush or an event looks.
class SchedulingQueue {
 public:
  using Entry = std::shared_ptr<QueuedPodInfo>;

  SchedulingQueue(SchedulingQueueOptions options, SchedulingQueueHooks hooks,
                  const Clock& clock = Clock::Real());

  // A Pod that wants a node: new, or changed while it waits. Unknown UIDs are added.
  void Set(std::shared_ptr<const Pod> pod);
  // A newer state of a Pod that differs in nothing scheduling reads (its status): what is known of
  // it is brought up to date, nothing moves. Unknown UIDs are ignored.
  void Refresh(std::shared_ptr<const Pod> pod);
  // It is gone, or has a node.
  void Remove(std::string_view uid);
  // Whether the Pod waits or is in flight.
  bool Contains(std::string_view uid) const;

  // The next Pod, marked as in flight; waits for one at most `wait`. Null when there is none in
  // time or the queue is closed.
  Entry Pop(std::chrono::nanoseconds wait);
  // Ends the flight of a popped Pod that needs no other attempt (it was bound, or is gone).
  void Done(std::string_view uid);

  // Ends the flight of a popped Pod that failed. With `plugins` it waits for an event that could
  // help one of them (an event during the flight counts), without, for its backoff only.
  void AddUnschedulable(const Entry& entry, std::set<std::string> plugins);
  // The policy put it off: it waits for its backoff only, and the deferral is counted.
  void AddDeferred(const Entry& entry);

  // Wakes the Pods that the change could help.
  void OnEvent(const ClusterChange& change);
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
  struct Item {
    Entry entry;
    QueueName queue = QueueName::kActive;
    bool in_flight = false;
    SteadyTime backoff_until{};
    SteadyTime since{};    // entered the unschedulable Pods
    ClusterEvents wanted;  // could help one of the plugins that turned it down
    // While in flight: the number of the first change that came since, the Pod's newest state, and
    // whether that differs in what scheduling reads.
    std::uint64_t first_change = 0;
    std::shared_ptr<const Pod> newer;
    bool changed = false;
  };
  using Items = std::unordered_map<std::string, Item>;

  void Enter(Item& item, QueueName queue, std::string_view event);
  void Leave(Item& item);
  Item* TakeBest();
  SteadyTime WaitUntil(SteadyTime deadline) const;
  void EnterAfterFailure(Item& item, std::string_view event);
  void FlushLocked();
  bool Helps(const Item& item, const ClusterChange& change) const;
  bool HelpedInFlight(const Item& item) const;
  void EndFlight(Item& item);
  std::chrono::nanoseconds BackoffOf(const QueuedPodInfo& pod) const;

  const SchedulingQueueOptions options_;
  const SchedulingQueueHooks hooks_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool closed_ = false;
  SteadyTime next_patience_check_{};  // of the unschedulable Pods, now and then
  Items items_;
  // Orders by hooks_.less, then by arrival, so that equal Pods keep their order.
  struct ActiveLess {
    const SchedulingQueue* queue;
    bool operator()(const Item* a, const Item* b) const;
  };
  std::set<Item*, ActiveLess> active_;
  std::set<std::pair<SteadyTime, Item*>> backoff_;
  std::unordered_set<Item*> unschedulable_;
  std::unordered_set<Item*> in_flight_;
  // What changed since the first of those in flight was popped; the first has number changes_from_.
  std::deque<ClusterChange> changes_;
  std::uint64_t changes_from_ = 0;
};

}  // namespace leadline

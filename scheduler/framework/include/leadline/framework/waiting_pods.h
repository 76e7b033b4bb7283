// The Pods that Permit plugins hold: a node is reserved for each, and it is bound when every plugin
// that asked to wait has allowed it.
// https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#permit
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/node_info.h"
#include "leadline/framework/plugin.h"

namespace leadline {

// The handle by which a plugin finds and ends what it, or another, holds; its maker gives it one
// and the scheduler the same. Thread-safe; no call waits for a Pod's further way, so a plugin may
// make them from anywhere, under its own lock too.
//
// A plugin knows a Pod that it holds only once Permit has returned: what it says before that about
// the Pod is not heard.
class WaitingPods {
 public:
  WaitingPods() = default;
  ~WaitingPods();  // as Close()
  WaitingPods(const WaitingPods&) = delete;
  WaitingPods& operator=(const WaitingPods&) = delete;

  // Holds a Pod that is not held yet. `done` is called once, on a thread of the registry's own
  // (made with the first Pod): success when all plugins have allowed the Pod; kUnschedulable with
  // the plugin's name when one has rejected it or its time is over; kPending when the registry was
  // closed meanwhile.
  void Add(std::shared_ptr<const PodInfo> pod, const PermitWaits& waits, StatusCallback done);

  // False when no such Pod waits (any more).
  bool Allow(std::string_view uid, std::string_view plugin);
  bool Reject(std::string_view uid, std::string_view plugin, std::string message);

  // The plugins that have not allowed the Pod yet, ordered by name; none when it does not wait.
  std::vector<std::string> PendingPlugins(std::string_view uid) const;
  // All that wait now, in no order.
  std::vector<std::shared_ptr<const PodInfo>> Pods() const;

  // Ends every wait and returns when each `done` has returned; further Pods end at once. Not to be
  // called from a `done`.
  void Close();

 private:
  struct Plugin {
    std::chrono::nanoseconds wait;
    SteadyTime deadline;
  };
  struct Waiting {
    std::shared_ptr<const PodInfo> pod;
    std::map<std::string, Plugin, std::less<>> plugins;
    StatusCallback done;
  };
  using Items = std::unordered_map<std::string, Waiting>;
  using Deadline = std::tuple<SteadyTime, std::string, std::string>;  // Pod's UID, plugin

  void End(Items::iterator item, Status status);
  void Expire(SteadyTime now);
  void Run();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Items waiting_;
  std::set<Deadline> deadlines_;
  std::deque<std::pair<StatusCallback, Status>> ended_;  // to be told
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace leadline

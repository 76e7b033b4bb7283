// Everything that the scheduler watches of the cluster.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leadline/core/scheduler.h"
#include "leadline/framework/listers.h"
#include "leadline/kubernetes/informer.h"
#include "leadline/learning/outcome_tracker.h"
#include "leadline/plugins/volume_binder.h"

namespace leadline {

// Pods and Nodes go to the scheduler and the outcome tracker, the rest into the listers, of which
// the scheduler and the volume binder are told. All of them must outlive it. Everything runs on the
// io_context.
class ClusterWatch {
 public:
  // `on_synced` is called once, when the first list of every kind is complete.
  ClusterWatch(boost::asio::io_context& io, ApiClient& api, Scheduler& scheduler,
               OutcomeTracker& outcomes, Listers& listers, VolumeBinder& volume_binder,
               std::function<void()> on_synced);

  void Start();
  void Stop();

 private:
  // An Informer whose kind no longer matters.
  struct Watched {
    std::shared_ptr<void> informer;
    std::function<void()> start;
    std::function<void()> stop;
  };

  template <typename T>
  void Watch(const std::string& path, typename Informer<T>::Parse parse,
             InformerHandlers<T> handlers, bool may_be_absent = false);
  // `on_change`, if any: additions and new labels may help waiting Pods.
  template <typename T>
  void WatchInto(Store<T>& store, const std::string& path, typename Informer<T>::Parse parse,
                 std::function<void()> on_change = {});
  // Into the store, and the scheduler is told.
  template <typename T, typename Stored>
  void WatchStorage(Scheduler& scheduler, Stored& store, const std::string& path,
                    typename Informer<T>::Parse parse, ClusterEvent event,
                    std::shared_ptr<const T> ClusterChange::*old_object,
                    std::shared_ptr<const T> ClusterChange::*object);
  void WatchStorage(Scheduler& scheduler, Listers& listers);
  void WatchPods(Scheduler& scheduler, OutcomeTracker& outcomes);
  void WatchNodes(Scheduler& scheduler, OutcomeTracker& outcomes);
  void OnSynced(std::size_t kind);

  boost::asio::io_context& io_;
  ApiClient& api_;
  VolumeBinder& volume_binder_;
  std::function<void()> on_synced_;
  std::vector<bool> synced_;
  std::vector<Watched> watched_;  // last: the first to go
};

}  // namespace leadline

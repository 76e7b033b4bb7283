#include "cluster_watch.h"

#include <algorithm>
#include <utility>

namespace leadline {

ClusterWatch::ClusterWatch(boost::asio::io_context& io, ApiClient& api, Scheduler& scheduler,
                           OutcomeTracker& outcomes, Listers& listers,
                           std::function<void()> on_synced)
    : io_(io), api_(api), on_synced_(std::move(on_synced)) {
  WatchNodes(scheduler, outcomes);
  WatchPods(scheduler, outcomes);
  const auto tell = [&scheduler](ClusterEvent event) {
    return [&scheduler, event] { scheduler.OnChange({event, {}, {}, {}, {}}); };
  };
  WatchInto<Namespace>(listers.namespaces, "/api/v1/namespaces", ParseNamespace,
                       tell(ClusterEvent::kNamespaceChange));
  WatchInto<Workload>(listers.services, "/api/v1/services", ParseMapSelected);
  WatchInto<Workload>(listers.replication_controllers, "/api/v1/replicationcontrollers",
                      ParseMapSelected);
  WatchInto<Workload>(listers.replica_sets, "/apis/apps/v1/replicasets", ParseLabelSelected);
  WatchInto<Workload>(listers.stateful_sets, "/apis/apps/v1/statefulsets", ParseLabelSelected);
}

template <typename T>
void ClusterWatch::Watch(const std::string& path, typename Informer<T>::Parse parse,
                         InformerHandlers<T> handlers) {
  handlers.on_synced = [this, kind = watched_.size()] { OnSynced(kind); };
  synced_.push_back(false);
  auto informer = std::make_shared<Informer<T>>(io_, api_, ListerWatcher(path), std::move(parse),
                                                std::move(handlers));
  watched_.push_back(
      {informer, [i = informer.get()] { i->Start(); }, [i = informer.get()] { i->Stop(); }});
}

template <typename T>
void ClusterWatch::WatchInto(Store<T>& store, const std::string& path,
                             typename Informer<T>::Parse parse, std::function<void()> on_change) {
  InformerHandlers<T> handlers;
  const auto put = [&store, on_change](const auto& object) {
    store.Put(object);
    if (on_change) on_change();
  };
  handlers.on_add = put;
  handlers.on_update = [put](const auto&, const auto& object) { put(object); };
  handlers.on_delete = [&store](const auto& object) { store.Erase(object->metadata.Key()); };
  Watch<T>(path, std::move(parse), std::move(handlers));
}

void ClusterWatch::WatchPods(Scheduler& scheduler, OutcomeTracker& outcomes) {
  InformerHandlers<Pod> pods;
  pods.on_add = [&scheduler](const auto& pod) { scheduler.OnPodAdd(pod); };
  pods.on_update = [&](const auto& old, const auto& pod) {
    scheduler.OnPodUpdate(old, pod);
    outcomes.OnPodUpdate(*pod);
  };
  pods.on_delete = [&](const auto& pod) {
    scheduler.OnPodDelete(pod);
    outcomes.OnPodDelete(*pod);
  };
  Watch<Pod>("/api/v1/pods", ParsePod, std::move(pods));
}

void ClusterWatch::WatchNodes(Scheduler& scheduler, OutcomeTracker& outcomes) {
  InformerHandlers<Node> nodes;
  nodes.on_add = [&scheduler](const auto& node) { scheduler.OnNodeAdd(node); };
  nodes.on_update = [&](const auto& old, const auto& node) {
    scheduler.OnNodeUpdate(old, node);
    outcomes.OnNodeUpdate(*old, *node);
  };
  nodes.on_delete = [&scheduler](const auto& node) { scheduler.OnNodeDelete(node); };
  Watch<Node>("/api/v1/nodes", ParseNode, std::move(nodes));
}

void ClusterWatch::Start() {
  for (const Watched& one : watched_) one.start();
}

void ClusterWatch::Stop() {
  for (const Watched& one : watched_) one.stop();
}

void ClusterWatch::OnSynced(std::size_t kind) {
  synced_[kind] = true;
  const bool all = std::all_of(synced_.begin(), synced_.end(), [](bool one) { return one; });
  if (all && on_synced_) std::exchange(on_synced_, nullptr)();
}

}  // namespace leadline

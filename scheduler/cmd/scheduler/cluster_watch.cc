#include "cluster_watch.h"

#include <algorithm>
#include <utility>

namespace leadline {

ClusterWatch::ClusterWatch(boost::asio::io_context& io, ApiClient& api, Scheduler& scheduler,
                           OutcomeTracker& outcomes, Listers& listers, VolumeBinder& volume_binder,
                           std::function<void()> on_synced)
    : io_(io), api_(api), volume_binder_(volume_binder), on_synced_(std::move(on_synced)) {
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
  WatchInto<PodDisruptionBudget>(listers.disruption_budgets, "/apis/policy/v1/poddisruptionbudgets",
                                 ParseDisruptionBudget);
  WatchStorage(scheduler, listers);
}

template <typename T>
void ClusterWatch::Watch(const std::string& path, typename Informer<T>::Parse parse,
                         InformerHandlers<T> handlers, bool may_be_absent) {
  handlers.on_synced = [this, kind = watched_.size()] { OnSynced(kind); };
  synced_.push_back(false);
  ReflectorOptions options;
  options.may_be_absent = may_be_absent;
  auto informer = std::make_shared<Informer<T>>(io_, api_, ListerWatcher(path), std::move(parse),
                                                std::move(handlers), options);
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
  handlers.on_update = [&store, on_change](const auto& old, const auto& object) {
    store.Put(object);
    if (on_change && old->metadata.labels != object->metadata.labels) on_change();
  };
  handlers.on_delete = [&store](const auto& object) { store.Erase(object->metadata.Key()); };
  Watch<T>(path, std::move(parse), std::move(handlers));
}

template <typename T, typename Stored>
void ClusterWatch::WatchStorage(Scheduler& scheduler, Stored& store, const std::string& path,
                                typename Informer<T>::Parse parse, ClusterEvent event,
                                std::shared_ptr<const T> ClusterChange::*old_object,
                                std::shared_ptr<const T> ClusterChange::*object) {
  const bool of_deletion = event == ClusterEvent::kVolumeAttachmentDelete;
  const auto tell = [=, &scheduler, this](const auto& old, const auto& now) {
    ClusterChange change{event};
    change.*old_object = old;
    change.*object = now;
    volume_binder_.OnChange(change);
    scheduler.OnChange(change);
  };
  InformerHandlers<T> handlers;
  handlers.on_add = [=, &store](const auto& now) {
    store.Put(now);
    if (!of_deletion) tell(nullptr, now);
  };
  handlers.on_update = [=, &store](const auto& old, const auto& now) {
    store.Put(now);
    if (!of_deletion) tell(old, now);
  };
  handlers.on_delete = [=, &store](const auto& old) {
    store.Erase(old->metadata.Key());
    if (of_deletion) tell(old, old);
  };
  // An API server may serve Pods without any storage of its own.
  Watch<T>(path, std::move(parse), std::move(handlers), path.starts_with("/apis/storage.k8s.io/"));
}

void ClusterWatch::WatchStorage(Scheduler& scheduler, Listers& listers) {
  using Change = ClusterChange;
  const std::string core = "/api/v1/", storage = "/apis/storage.k8s.io/v1/";
  WatchStorage(scheduler, listers.claims, core + "persistentvolumeclaims",
               ParsePersistentVolumeClaim, ClusterEvent::kClaimChange, &Change::old_claim,
               &Change::claim);
  WatchStorage(scheduler, listers.volumes, core + "persistentvolumes", ParsePersistentVolume,
               ClusterEvent::kVolumeChange, &Change::old_volume, &Change::volume);
  WatchStorage(scheduler, listers.storage_classes, storage + "storageclasses", ParseStorageClass,
               ClusterEvent::kStorageClassChange, &Change::old_storage_class,
               &Change::storage_class);
  WatchStorage(scheduler, listers.csi_nodes, storage + "csinodes", ParseCsiNode,
               ClusterEvent::kCsiNodeChange, &Change::old_csi_node, &Change::csi_node);
  WatchStorage(scheduler, listers.csi_drivers, storage + "csidrivers", ParseCsiDriver,
               ClusterEvent::kCsiDriverChange, &Change::old_csi_driver, &Change::csi_driver);
  WatchStorage(scheduler, listers.storage_capacities, storage + "csistoragecapacities",
               ParseCsiStorageCapacity, ClusterEvent::kStorageCapacityChange,
               &Change::old_storage_capacity, &Change::storage_capacity);
  WatchStorage(scheduler, listers.volume_attachments, storage + "volumeattachments",
               ParseVolumeAttachment, ClusterEvent::kVolumeAttachmentDelete,
               &Change::old_volume_attachment, &Change::volume_attachment);
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

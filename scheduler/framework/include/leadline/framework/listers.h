// What the cluster holds beside Nodes and Pods, for the plugins that read it.
#pragma once

#include "leadline/kubernetes/disruption_budget.h"
#include "leadline/kubernetes/indexed_store.h"
#include "leadline/kubernetes/namespace.h"
#include "leadline/kubernetes/storage.h"
#include "leadline/kubernetes/store.h"
#include "leadline/kubernetes/workload.h"

namespace leadline {

// Kept up by the program's informers; read on any thread. An API that the server does not have
// leaves its store empty.
struct Listers {
  Store<Namespace> namespaces;
  Store<Workload> services;
  Store<Workload> replication_controllers;
  Store<Workload> replica_sets;
  Store<Workload> stateful_sets;
  Store<PodDisruptionBudget> disruption_budgets;
  Store<PersistentVolumeClaim> claims;
  IndexedStore<PersistentVolume, &PersistentVolume::storage_class> volumes;
  Store<StorageClass> storage_classes;
  Store<CsiNode> csi_nodes;
  Store<CsiDriver> csi_drivers;
  IndexedStore<CsiStorageCapacity, &CsiStorageCapacity::storage_class> storage_capacities;
  IndexedStore<VolumeAttachment, &VolumeAttachment::node_name> volume_attachments;
};

}  // namespace leadline

#include "volume_zone.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "pod_claims.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterVolumeZone";
constexpr std::string_view kDelimiter = "__";

constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";

// The label, and the one of a node that stands in for it.
struct TopologyLabel {
  std::string_view key, newer;
};
constexpr std::array<TopologyLabel, 4> kLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", kZone},
    {"failure-domain.beta.kubernetes.io/region", kRegion},
    {kZone, kZone},
    {kRegion, kRegion},
}};

Status Hopeless(std::string reason) {
  return Status(Status::Code::kUnschedulableAndUnresolvable, std::move(reason));
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// "a__b" is a or b. Nothing when a part is empty: the label is ignored then.
std::optional<std::set<std::string, std::less<>>> ReadValues(std::string_view label) {
  std::set<std::string, std::less<>> values;
  for (;;) {
    const auto end = label.find(kDelimiter);
    const std::string_view value = Trim(label.substr(0, end));
    if (value.empty()) return {};
    values.emplace(value);
    if (end == std::string_view::npos) return values;
    label.remove_prefix(end + kDelimiter.size());
  }
}

}  // namespace

struct VolumeZone::Demand {
  TopologyLabel label;
  std::set<std::string, std::less<>> values;

  bool MetBy(const StringMap& node_labels) const {
    auto found = node_labels.find(label.key);
    if (found == node_labels.end()) found = node_labels.find(label.newer);
    return found != node_labels.end() && values.count(found->second) != 0;
  }
  friend bool operator==(const Demand& a, const Demand& b) {
    return a.label.key == b.label.key && a.values == b.values;
  }
};

std::vector<VolumeZone::Demand> VolumeZone::DemandsOf(const PersistentVolume& volume) {
  std::vector<Demand> demands;
  for (const TopologyLabel& label : kLabels) {
    const auto found = volume.metadata.labels.find(label.key);
    if (found == volume.metadata.labels.end()) continue;
    if (auto values = ReadValues(found->second)) demands.push_back({label, std::move(*values)});
  }
  return demands;
}

// An unbound claim is VolumeBinding's business if it may wait for the node, and hopeless if not.
Status VolumeZone::AddDemands(const Pod& pod, const std::string& name,
                              std::vector<Demand>* out) const {
  if (name.empty()) return Hopeless("PersistentVolumeClaim had no name");
  const auto claim = listers_.claims.Get(pod.metadata.namespace_name + "/" + name);
  if (claim == nullptr)
    return Hopeless(fmt::format("persistentvolumeclaim \"{}\" not found", name));
  if (!claim->volume_name.empty()) {
    const auto volume = listers_.volumes.Get(claim->volume_name);
    if (volume == nullptr) {
      return Hopeless(fmt::format("persistentvolume \"{}\" not found", claim->volume_name));
    }
    std::vector<Demand> demands = DemandsOf(*volume);
    std::move(demands.begin(), demands.end(), std::back_inserter(*out));
    return {};
  }
  const std::string& class_name = claim->Class();
  if (class_name.empty()) {
    return Hopeless("PersistentVolumeClaim had no pv name and storageClass name");
  }
  const auto storage_class = listers_.storage_classes.Get(class_name);
  if (storage_class == nullptr) {
    return Hopeless(fmt::format("storageclass.storage.k8s.io \"{}\" not found", class_name));
  }
  return storage_class->wait_for_first_consumer ? Status()
                                                : Hopeless("PersistentVolume had no name");
}

Status VolumeZone::PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult*) {
  std::vector<Demand> demands;
  for (const Volume& volume : pod.pod->spec.volumes) {
    if (volume.kind != kClaimVolume) continue;
    if (Status status = AddDemands(*pod.pod, volume.claim_name, &demands); !status.ok()) {
      return status;
    }
  }
  if (demands.empty()) return Status::Skip();
  state.Write(kStateKey, std::move(demands));
  return {};
}

Status VolumeZone::Filter(const CycleState& state, const PodInfo&, const NodeInfo& node) {
  const auto* demands = state.Read<std::vector<Demand>>(kStateKey);
  if (demands == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  const StringMap& labels = node.node().metadata.labels;
  // A node that says nothing of zones is taken for one of a cluster without them.
  if (std::none_of(kLabels.begin(), kLabels.end(),
                   [&](const TopologyLabel& label) { return labels.count(label.key) != 0; })) {
    return {};
  }
  const bool met = std::all_of(demands->begin(), demands->end(),
                               [&](const Demand& demand) { return demand.MetBy(labels); });
  return met ? Status() : Hopeless("node(s) had no available volume zone");
}

std::vector<ClusterEvent> VolumeZone::EventsToRegister() const {
  return {ClusterEvent::kStorageClassChange, ClusterEvent::kNodeAdd, ClusterEvent::kNodeLabelUpdate,
          ClusterEvent::kClaimChange, ClusterEvent::kVolumeChange};
}

bool VolumeZone::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.storage_class != nullptr) return change.storage_class->wait_for_first_consumer;
  if (change.claim != nullptr) return NamesClaim(waiting, *change.claim);
  if (change.volume != nullptr && change.old_volume != nullptr) {
    return DemandsOf(*change.old_volume) != DemandsOf(*change.volume);
  }
  return true;
}

}  // namespace leadline

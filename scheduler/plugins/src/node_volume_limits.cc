#include "node_volume_limits.h"

#include <algorithm>

#include <fmt/format.h>

#include "csi_migration.h"
#include "pod_claims.h"

namespace leadline {
namespace {

using Code = Status::Code;

constexpr std::string_view kStateKey = "PreFilterNodeVolumeLimits";

}  // namespace

bool NodeVolumeLimits::MayCount(const Volume& volume) {
  return UsesClaim(volume) || IsMigrated(volume);
}

std::optional<NodeVolumeLimits::Counted> NodeVolumeLimits::Count(const Pod& pod,
                                                                 const Volume& volume) const {
  Counted counted;
  if (!UsesClaim(volume)) {
    if (CountedDriverOfKind(volume.kind).empty()) return {};
    Result<CsiVolume> csi = TranslateInline(volume);
    counted.migrated = true;
    if (csi) {
      counted.key = {std::move(csi->driver), std::move(csi->handle)};
    } else {
      counted.status =
          Status(Code::kError, fmt::format("converting volume({}) from inline to csi: {}",
                                           volume.name, csi.error().message()));
    }
    return counted;
  }
  const std::string name = ClaimName(pod, volume);
  if (name.empty()) {
    counted.status = Status(Code::kError, "PersistentVolumeClaim had no name");
    return counted;
  }
  const std::string& space = pod.metadata.namespace_name;
  const auto claim = listers_.claims.Get(space + "/" + name);
  if (claim == nullptr) {
    counted.status =
        Status(Code::kUnschedulableAndUnresolvable,
               fmt::format("looking up PVC {0}/{1}: persistentvolumeclaim \"{1}\" not found", space,
                           name));
    return counted;
  }
  if (volume.kind == kEphemeralVolume && !IsOwnedBy(*claim, pod)) {
    counted.status = Status(
        Code::kError, fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)",
                                  space, name, space, pod.metadata.name));
    return counted;
  }
  return CountClaim(*claim);
}

std::optional<NodeVolumeLimits::Counted> NodeVolumeLimits::CountClaim(
    const PersistentVolumeClaim& claim) const {
  if (claim.volume_name.empty()) return CountUnbound(claim);
  const auto volume = listers_.volumes.Get(claim.volume_name);
  if (volume == nullptr) return CountUnbound(claim);
  Counted counted;
  if (volume->kind == "csi") {
    counted.key = {volume->csi_driver, volume->csi_handle};
  } else {
    if (CountedDriverOfKind(volume->kind).empty()) return {};
    Result<CsiVolume> csi = TranslateVolume(*volume);
    if (!csi) return {};
    counted.migrated = true;
    counted.key = {std::move(csi->driver), std::move(csi->handle)};
  }
  if (counted.key.first.empty() || counted.key.second.empty()) return {};
  return counted;
}

// A volume that does not exist yet counts for the driver that will make it.
std::optional<NodeVolumeLimits::Counted> NodeVolumeLimits::CountUnbound(
    const PersistentVolumeClaim& claim) const {
  const std::string name = claim.Class();
  const auto storage_class = name.empty() ? nullptr : listers_.storage_classes.Get(name);
  if (storage_class == nullptr) return {};
  Counted counted;
  counted.migrated = IsMigratedProvisioner(storage_class->provisioner);
  counted.key.first = counted.migrated
                          ? std::string(CountedDriverOfProvisioner(storage_class->provisioner))
                          : storage_class->provisioner;
  if (counted.key.first.empty()) return {};
  counted.key.second = "\x01" + claim.metadata.Key();  // no handle begins like this
  return counted;
}

Status NodeVolumeLimits::PreFilter(CycleState& cycle, const PodInfo& info, PreFilterResult*) {
  const auto& volumes = info.pod->spec.volumes;
  if (std::none_of(volumes.begin(), volumes.end(), MayCount)) return Status::Skip();
  FilterState state;
  for (const Volume& volume : volumes) {
    std::optional<Counted> counted = Count(*info.pod, volume);
    if (!counted) continue;
    const auto driver = listers_.csi_drivers.Get(counted->key.first);
    counted->needs_driver = driver != nullptr && driver->prevent_scheduling_if_missing;
    if (counted->status.ok()) state.by_driver[counted->key.first].insert(counted->key);
    state.wanted.push_back(std::move(*counted));
  }
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status NodeVolumeLimits::Filter(const CycleState& cycle, const PodInfo&, const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Code::kError, "PreFilter did not run");
  if (state->wanted.empty()) return {};
  const auto csi_node = listers_.csi_nodes.Get(node.name());
  const auto counts = [&](const Counted& one) { return !one.migrated || csi_node != nullptr; };
  for (const Counted& one : state->wanted) {
    if (!one.status.ok() && counts(one)) return one.status;
  }
  for (const Counted& one : state->wanted) {  // also where there are no limits
    const std::string& driver = one.key.first;
    if (!one.needs_driver || !counts(one)) continue;
    if (csi_node != nullptr && csi_node->FindDriver(driver) != nullptr) continue;
    return Status(Code::kUnschedulable,
                  fmt::format("{} CSI driver is not installed on the node", driver));
  }
  if (csi_node == nullptr) return {};
  for (const auto& [name, wanted] : state->by_driver) {
    const auto* driver = csi_node->FindDriver(name);
    if (driver == nullptr || !driver->allocatable) continue;
    const std::size_t limit = static_cast<std::size_t>(std::max(0, *driver->allocatable));
    // Mostly there is room, whichever driver's the volumes there are.
    const std::size_t most =
        node.storage_volumes() + listers_.volume_attachments.CountOn(node.name()) + wanted.size();
    if (most <= limit) continue;
    if (const std::size_t count = CountWith(wanted, name, node); count > limit) {
      return Status(Code::kUnschedulable, "node(s) exceed max volume count");
    }
  }
  return {};
}

// 0 when a Pod there has all of them already. A volume there that cannot be told is not counted,
// where kube-scheduler gives up the whole attempt: one odd Pod must not stop all others.
std::size_t NodeVolumeLimits::CountWith(const std::set<VolumeKey>& wanted, std::string_view driver,
                                        const NodeInfo& node) const {
  std::set<VolumeKey> there;
  for (const auto& other : node.storage_pods()) {
    for (const Volume& volume : other->pod->spec.volumes) {
      auto counted = Count(*other->pod, volume);
      if (counted && counted->status.ok() && counted->key.first == driver) {
        there.insert(std::move(counted->key));
      }
    }
  }
  const auto fresh = std::count_if(wanted.begin(), wanted.end(),
                                   [&](const VolumeKey& key) { return there.count(key) == 0; });
  if (fresh == 0) return 0;
  // What is merely attached counts beside what is wanted, even if it is the same.
  for (const auto& attachment : listers_.volume_attachments.On(node.name())) {
    if (attachment->attacher != driver || attachment->volume_name.empty()) continue;
    const auto volume = listers_.volumes.Get(attachment->volume_name);
    if (volume != nullptr && volume->kind == "csi") {
      there.emplace(attachment->attacher, volume->csi_handle);
    }
  }
  return there.size() + static_cast<std::size_t>(fresh);
}

}  // namespace leadline

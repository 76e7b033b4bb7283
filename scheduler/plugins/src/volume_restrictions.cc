#include "volume_restrictions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "pod_claims.h"

namespace leadline {
namespace {

constexpr std::string_view kStateKey = "PreFilterVolumeRestrictions";

// The kinds of disk that the nodes themselves would have to keep apart.
bool IsRestricted(const Volume& volume) {
  return volume.kind == "gcePersistentDisk" || volume.kind == "awsElasticBlockStore" ||
         volume.kind == "iscsi" || volume.kind == "rbd";
}

bool Overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// Whether a volume that is restricted is the same disk as another and cannot be mounted beside it.
bool Conflict(const Volume& a, const Volume& b) {
  if (a.kind != b.kind || a.disk->id != b.disk->id) return false;
  if (a.kind == "awsElasticBlockStore") return true;  // read-only or not
  if (a.disk->read_only && b.disk->read_only) return false;
  return a.kind != "rbd" ||
         (a.disk->pool == b.disk->pool && Overlap(a.disk->monitors, b.disk->monitors));
}

bool Conflict(const Volume& volume, const Pod& other) {
  const auto& theirs = other.spec.volumes;
  return std::any_of(theirs.begin(), theirs.end(),
                     [&](const Volume& one) { return Conflict(volume, one); });
}

bool AnyConflict(const Pod& pod, const Pod& other) {
  const auto& volumes = pod.spec.volumes;
  return std::any_of(volumes.begin(), volumes.end(), [&](const Volume& volume) {
    return IsRestricted(volume) && Conflict(volume, other);
  });
}

struct FilterState {
  bool disks = false;  // the Pod names some that are restricted
  // Its claims that one Pod alone may use, and how often others do.
  std::set<std::string, std::less<>> exclusive;
  int uses = 0;

  // kube-scheduler does not compare the namespaces here, and so takes a claim of the same name in
  // another one for this one.
  int UsesBy(const Pod& pod, const Pod& other) const {
    if (other.metadata.namespace_name != pod.metadata.namespace_name) return 0;
    const auto& volumes = other.spec.volumes;
    return static_cast<int>(
        std::count_if(volumes.begin(), volumes.end(), [&](const Volume& volume) {
          return volume.kind == kClaimVolume && exclusive.count(volume.claim_name) != 0;
        }));
  }
};

// How many Pods of the cluster use claims in `state`.
int CountUses(const Snapshot& snapshot, const Pod& pod, const FilterState& state) {
  int uses = 0;
  for (const auto& node : snapshot.nodes()) {
    for (const auto& other : node->storage_pods()) uses += state.UsesBy(pod, *other->pod);
  }
  return uses;
}

}  // namespace

Status VolumeRestrictions::PreFilter(CycleState& cycle, const PodInfo& info, PreFilterResult*) {
  const Pod& pod = *info.pod;
  const auto& volumes = pod.spec.volumes;
  FilterState state;
  for (const Volume& volume : volumes) {
    if (volume.kind != kClaimVolume) continue;
    const auto claim = listers_.claims.Get(pod.metadata.namespace_name + "/" + volume.claim_name);
    if (claim == nullptr) {
      return Status(Status::Code::kUnschedulableAndUnresolvable,
                    fmt::format("persistentvolumeclaim \"{}\" not found", volume.claim_name));
    }
    const auto& modes = claim->access_modes;
    if (std::find(modes.begin(), modes.end(), "ReadWriteOncePod") != modes.end()) {
      state.exclusive.insert(volume.claim_name);
    }
  }
  if (!state.exclusive.empty()) state.uses = CountUses(cycle.snapshot(), pod, state);
  state.disks = std::any_of(volumes.begin(), volumes.end(), IsRestricted);
  if (state.uses == 0 && !state.disks) return Status::Skip();
  cycle.Write(kStateKey, std::move(state));
  return {};
}

Status VolumeRestrictions::AddPod(CycleState& cycle, const PodInfo& pod, const PodInfo& added,
                                  const NodeInfo&) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    state->uses += state->UsesBy(*pod.pod, *added.pod);
  }
  return {};
}

Status VolumeRestrictions::RemovePod(CycleState& cycle, const PodInfo& pod, const PodInfo& removed,
                                     const NodeInfo&) {
  if (auto* state = cycle.Mutable<FilterState>(kStateKey)) {
    state->uses -= state->UsesBy(*pod.pod, *removed.pod);
  }
  return {};
}

Status VolumeRestrictions::Filter(const CycleState& cycle, const PodInfo& pod,
                                  const NodeInfo& node) {
  const auto* state = cycle.Read<FilterState>(kStateKey);
  if (state == nullptr) return Status(Status::Code::kError, "PreFilter did not run");
  const auto& others = node.storage_pods();
  if (state->disks && std::any_of(others.begin(), others.end(), [&](const auto& other) {
        return AnyConflict(*pod.pod, *other->pod);
      })) {
    return Status(Status::Code::kUnschedulable, "node(s) had no available disk");
  }
  if (state->uses <= 0) return {};
  return Status(Status::Code::kUnschedulable,
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                "mode already in-use by another pod");
}

std::vector<ClusterEvent> VolumeRestrictions::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodDelete, ClusterEvent::kNodeAdd, ClusterEvent::kClaimChange};
}

bool VolumeRestrictions::Helps(const Pod& waiting, const ClusterChange& change) const {
  if (change.claim != nullptr) {
    return change.old_claim == nullptr && NamesClaim(waiting, *change.claim);
  }
  if (change.event != ClusterEvent::kAssignedPodDelete || change.pod == nullptr) return true;
  const Pod& gone = *change.pod;
  // Disks are the same in every namespace; kube-scheduler looks at the Pod's own only.
  if (AnyConflict(waiting, gone)) return true;
  FilterState shared;
  for (const Volume& volume : waiting.spec.volumes) {
    if (volume.kind == kClaimVolume) shared.exclusive.insert(volume.claim_name);
  }
  return shared.UsesBy(waiting, gone) > 0;
}

}  // namespace leadline

#include "volume_binding.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "pod_claims.h"
#include "volume_binding_state.h"

namespace leadline {
namespace {

using Code = Status::Code;

constexpr std::string_view kStateKey = "VolumeBinding";
constexpr std::string_view kReservationKey = "VolumeBinding/reservation";
using Reserved = std::shared_ptr<VolumeBinder::Reservation>;

Status Hopeless(std::string reason) {
  return Status(Code::kUnschedulableAndUnresolvable, std::move(reason));
}

// Whether there is such a claim, sound and of the Pod's own.
Status CheckClaim(const Pod& pod, const Volume& volume, const std::string& name,
                  const PersistentVolumeClaim* claim) {
  const bool ephemeral = volume.kind == kEphemeralVolume;
  if (claim == nullptr) {
    return Hopeless(ephemeral ? fmt::format("waiting for ephemeral volume controller to create the "
                                            "persistentvolumeclaim \"{}\"",
                                            name)
                              : fmt::format("persistentvolumeclaim \"{}\" not found", name));
  }
  if (claim->lost) {
    return Hopeless(
        fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                    name, claim->volume_name));
  }
  if (claim->metadata.deleting) {
    return Hopeless(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
  }
  if (ephemeral && !IsOwnedBy(*claim, pod)) {
    const std::string& space = pod.metadata.namespace_name;
    return Hopeless(fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", space,
                                name, space, pod.metadata.name));
  }
  return {};
}

}  // namespace

VolumeBinding::VolumeBinding(VolumeBindingArgs args, const Listers& listers,
                             std::shared_ptr<VolumeBinder> binder)
    : args_(std::move(args)), listers_(listers), binder_(std::move(binder)) {}

VolumeBinding::Cycle* VolumeBinding::CycleOf(const CycleState& state) {
  const auto* cycle = state.Read<std::shared_ptr<Cycle>>(kStateKey);
  return cycle == nullptr ? nullptr : cycle->get();
}

Status VolumeBinding::PreFilter(CycleState& state, const PodInfo& info, PreFilterResult*) {
  const auto& volumes = info.pod->spec.volumes;
  if (std::none_of(volumes.begin(), volumes.end(), UsesClaim)) return Status::Skip();
  auto cycle = std::make_shared<Cycle>();
  if (Status status = FindClaims(*info.pod, cycle.get()); !status.ok()) return status;
  FindVolumes(cycle.get());
  state.Write(kStateKey, std::move(cycle));
  return {};
}

Status VolumeBinding::FindClaims(const Pod& pod, Cycle* cycle) const {
  for (const Volume& volume : pod.spec.volumes) {
    if (!UsesClaim(volume)) continue;
    if (Status status = AddClaim(pod, volume, cycle); !status.ok()) return status;
  }
  if (cycle->immediate) return Hopeless("pod has unbound immediate PersistentVolumeClaims");
  return {};
}

Status VolumeBinding::AddClaim(const Pod& pod, const Volume& volume, Cycle* cycle) const {
  const std::string name = ClaimName(pod, volume);
  VolumeBinder::Claim claim = binder_->FindClaim(pod.metadata.namespace_name + "/" + name);
  if (Status status = CheckClaim(pod, volume, name, claim.get()); !status.ok()) return status;
  if (claim->FullyBound()) {
    auto persistent = binder_->FindVolume(claim->volume_name);
    if (persistent == nullptr) {
      cycle->bound.emplace_back();
    } else {
      cycle->bound.emplace_back(std::move(persistent));
      cycle->migratable = cycle->migratable || cycle->bound.back()->migratable();
    }
    return {};
  }
  const std::string& class_name = claim->Class();
  auto storage_class = class_name.empty() ? nullptr : listers_.storage_classes.Get(class_name);
  if (storage_class == nullptr || !storage_class->wait_for_first_consumer ||
      !claim->volume_name.empty()) {
    cycle->immediate = true;  // the others' mistakes are told first
  } else {
    cycle->waiting.push_back({std::move(claim), std::move(storage_class), {}, {}, {}});
  }
  return {};
}

void VolumeBinding::FindVolumes(Cycle* cycle) const {
  std::map<std::string, std::vector<VolumeBinder::Volume>> by_class;
  for (std::size_t i = 0; i < cycle->waiting.size(); ++i) {
    Waiting& one = cycle->waiting[i];
    one.provisioning.emplace(*one.claim, one.storage_class, listers_);
    const auto& annotations = one.claim->metadata.annotations;
    if (const auto node = annotations.find(kSelectedNodeAnnotation); node != annotations.end()) {
      one.selected_node = node->second;
      continue;
    }
    const std::string& name = one.storage_class->metadata.name;
    auto volumes = by_class.find(name);
    if (volumes == by_class.end()) {
      volumes = by_class.emplace(name, binder_->VolumesOf(name)).first;
    }
    one.candidates.emplace(*one.claim, volumes->second);
    cycle->by_size.push_back(i);
  }
  // The least claim first, so that it does not take what only fits a larger one.
  std::stable_sort(cycle->by_size.begin(), cycle->by_size.end(), [&](std::size_t a, std::size_t b) {
    return cycle->waiting[a].claim->storage.value_or(Quantity()) <
           cycle->waiting[b].claim->storage.value_or(Quantity());
  });
}

Status VolumeBinding::Filter(const CycleState& state, const PodInfo&, const NodeInfo& info) {
  Cycle* cycle = CycleOf(state);
  if (cycle == nullptr) return Status(Code::kError, "PreFilter did not run");
  const Node& node = info.node();
  Judgment judgment;
  if (const Result<void> judged = JudgeBound(*cycle, node, &judgment); !judged) {
    return Status(Code::kError, std::string(judged.error().message()));
  }
  JudgeWaiting(*cycle, node, &judgment);
  std::vector<std::string> reasons = judgment.Reasons();
  if (!reasons.empty()) return Status(Code::kUnschedulableAndUnresolvable, std::move(reasons));
  if (!cycle->waiting.empty()) {
    cycle->chosen = cycle->chosen || !judgment.bindings.empty() || !judgment.provisions.empty();
    cycle->judgments.insert_or_assign(info.name(), std::move(judgment));
  }
  return {};
}

Result<void> VolumeBinding::JudgeBound(const Cycle& cycle, const Node& node, Judgment* out) const {
  if (cycle.bound.empty()) return {};
  std::shared_ptr<const CsiNode> csi_node;
  if (cycle.migratable) csi_node = listers_.csi_nodes.Get(node.metadata.name);
  for (const auto& volume : cycle.bound) {
    out->missing_volume = !volume;
    if (out->missing_volume) return {};
    const Result<bool> reachable = volume->ReachableFrom(node, csi_node.get());
    if (!reachable) return reachable.error();
    out->unreachable = !*reachable;
    if (out->unreachable) return {};
  }
  return {};
}

void VolumeBinding::JudgeWaiting(const Cycle& cycle, const Node& node, Judgment* out) {
  const StringMap& labels = node.metadata.labels;
  std::vector<std::size_t> to_make;
  for (std::size_t i = 0; i < cycle.waiting.size(); ++i) {
    if (cycle.waiting[i].candidates) continue;
    out->no_volume = cycle.waiting[i].selected_node != node.metadata.name;
    if (out->no_volume) return;
    to_make.push_back(i);
  }
  std::vector<VolumeBinder::Volume> taken;
  for (const std::size_t i : cycle.by_size) {
    VolumeBinder::Volume best = cycle.waiting[i].candidates->BestFor(labels, taken);
    if (best == nullptr) {
      to_make.push_back(i);
      continue;
    }
    taken.push_back(best);
    out->bindings.emplace_back(i, std::move(best));
  }
  using Verdict = VolumeProvisioning::Answer::Verdict;
  for (const std::size_t i : to_make) {
    auto [verdict, room] = cycle.waiting[i].provisioning->On(labels);
    out->no_volume = verdict == Verdict::kImpossible;
    out->no_room = verdict == Verdict::kNoRoom;
    if (verdict != Verdict::kPossible) return;
    out->provisions.emplace_back(i, std::move(room));
  }
}

std::vector<std::string> VolumeBinding::Judgment::Reasons() const {
  std::vector<std::string> reasons;
  if (unreachable) reasons.push_back("node(s) didn't match PersistentVolume's node affinity");
  if (no_volume) reasons.push_back("node(s) didn't find available persistent volumes to bind");
  if (no_room) reasons.push_back("node(s) did not have enough free storage");
  if (missing_volume) {
    reasons.push_back("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  return reasons;
}

Status VolumeBinding::Reserve(CycleState& state, const PodInfo& pod, const std::string& node) {
  Cycle* cycle = CycleOf(state);
  if (cycle == nullptr) return {};
  const auto judgment = cycle->judgments.find(node);
  if (judgment == cycle->judgments.end()) return {};
  const bool bound_meanwhile =
      std::all_of(cycle->waiting.begin(), cycle->waiting.end(), [&](const Waiting& one) {
        const auto claim = binder_->FindClaim(one.claim->metadata.Key());
        return claim != nullptr && claim->FullyBound();
      });
  if (bound_meanwhile) return {};
  VolumeBinder::Choice choice;
  for (const auto& [i, volume] : judgment->second.bindings) {
    choice.bindings.emplace_back(volume, cycle->waiting[i].claim);
  }
  for (const auto& [i, room] : judgment->second.provisions) {
    choice.provisions.push_back(cycle->waiting[i].claim);
  }
  auto reserved = binder_->Reserve(pod.pod, state.snapshot().Find(node)->shared_node(), choice);
  if (!reserved) return Status(Code::kError, std::string(reserved.error().message()));
  state.WriteForBinding(kReservationKey, *std::move(reserved));
  return {};
}

void VolumeBinding::Unreserve(CycleState& state, const PodInfo&, const std::string&) {
  auto* reserved = state.Mutable<Reserved>(kReservationKey);
  if (reserved == nullptr || *reserved == nullptr) return;
  binder_->Undo(**reserved);
  reserved->reset();
}

void VolumeBinding::PreBind(CycleState& state, const PodInfo&, const std::string&,
                            StatusCallback done) {
  const auto* reserved = state.Read<Reserved>(kReservationKey);
  if (reserved == nullptr || *reserved == nullptr) return done(Status::Skip());
  binder_->Bind(*reserved, args_.bind_timeout, std::move(done));
}

}  // namespace leadline

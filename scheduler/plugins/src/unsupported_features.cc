#include "unsupported_features.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

namespace leadline {
namespace {

// Volumes that neither need an API object nor have limits or conflicts on a node. An inline csi
// volume is not counted by kube-scheduler either.
constexpr std::array<std::string_view, 12> kFreeVolumes = {
    "configMap", "csi",   "downwardAPI", "emptyDir", "fc",        "flexVolume",
    "gitRepo",   "image", "hostPath",    "nfs",      "projected", "secret"};

void AddVolumes(const PodSpec& spec, std::vector<std::string>* missing) {
  for (const Volume& volume : spec.volumes) {
    // A volume without a source is an empty directory.
    if (volume.kind.empty()) continue;
    if (std::find(kFreeVolumes.begin(), kFreeVolumes.end(), volume.kind) == kFreeVolumes.end()) {
      missing->push_back(fmt::format("{} volume \"{}\"", volume.kind, volume.name));
    }
  }
}

// Features that a node would have to declare (KEP-5328).
void AddDeclaredFeatures(const PodSpec& spec, std::vector<std::string>* missing) {
  const auto restarts = [](const Container& one) { return one.restarts_all_containers; };
  if (std::any_of(spec.containers.begin(), spec.containers.end(), restarts) ||
      std::any_of(spec.init_containers.begin(), spec.init_containers.end(), restarts)) {
    missing->push_back("restart rules with action RestartAllContainers");
  }
  if (spec.host_network && spec.host_users == false) {
    missing->push_back("user namespaces in the host network");
  }
}

bool IsHardSpread(const TopologySpreadConstraint& constraint) { return constraint.do_not_schedule; }

std::vector<std::string> MissingFor(const PodSpec& spec) {
  std::vector<std::string> missing;
  if (!spec.pod_affinity.required.empty()) missing.push_back("required pod affinity");
  if (!spec.pod_anti_affinity.required.empty()) missing.push_back("required pod anti-affinity");
  const auto& spread = spec.spread_constraints;
  if (std::any_of(spread.begin(), spread.end(), IsHardSpread)) {
    missing.push_back("topology spread constraints with DoNotSchedule");
  }
  AddVolumes(spec, &missing);
  if (spec.resource_claims > 0) missing.push_back("resource claims");
  if (!spec.workload.empty()) missing.push_back("pod groups");
  AddDeclaredFeatures(spec, &missing);
  return missing;
}

// Whether the term of a Pod on a node may be about `pod`. Without the labels of namespaces, a
// namespace selector has to be taken as matching.
bool CouldMatch(const PodAffinityTerm& term, const Pod& owner, const Pod& pod) {
  if (!term.label_selector || !term.label_selector->Matches(pod.metadata.labels)) return false;
  const std::string& wanted = pod.metadata.namespace_name;
  if (term.namespace_selector) return true;
  if (term.namespaces.empty()) return owner.metadata.namespace_name == wanted;
  return std::find(term.namespaces.begin(), term.namespaces.end(), wanted) != term.namespaces.end();
}

// A Pod on a node whose required anti-affinity may keep `pod` away; null when there is none.
const Pod* FindRepelling(const Snapshot& snapshot, const Pod& pod) {
  for (const NodeInfo* node : snapshot.anti_affinity_nodes()) {
    for (const auto& existing : node->pods()) {
      const auto& terms = existing->pod->spec.pod_anti_affinity.required;
      if (std::any_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
            return CouldMatch(term, *existing->pod, pod);
          })) {
        return existing->pod.get();
      }
    }
  }
  return nullptr;
}

}  // namespace

std::vector<ClusterEvent> UnsupportedFeatures::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodDelete, ClusterEvent::kUnscheduledPodUpdate};
}

Status UnsupportedFeatures::PreFilter(CycleState& state, const PodInfo& pod, PreFilterResult*) {
  std::vector<std::string> missing = MissingFor(pod.pod->spec);
  if (const Pod* other = FindRepelling(state.snapshot(), *pod.pod)) {
    missing.push_back(fmt::format("the required pod anti-affinity of {}", other->metadata.Key()));
  }
  if (missing.empty()) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                fmt::format("this scheduler does not support yet: {}", fmt::join(missing, ", ")));
}

}  // namespace leadline

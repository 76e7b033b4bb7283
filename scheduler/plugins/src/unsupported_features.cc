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

std::vector<std::string> MissingFor(const PodSpec& spec) {
  std::vector<std::string> missing;
  AddVolumes(spec, &missing);
  if (spec.resource_claims > 0) missing.push_back("resource claims");
  if (!spec.workload.empty()) missing.push_back("pod groups");
  return missing;
}

}  // namespace

std::vector<ClusterEvent> UnsupportedFeatures::EventsToRegister() const {
  return {ClusterEvent::kUnscheduledPodUpdate};
}

Status UnsupportedFeatures::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult*) {
  const std::vector<std::string> missing = MissingFor(pod.pod->spec);
  if (missing.empty()) return {};
  return Status(Status::Code::kUnschedulableAndUnresolvable,
                fmt::format("this scheduler does not support yet: {}", fmt::join(missing, ", ")));
}

}  // namespace leadline

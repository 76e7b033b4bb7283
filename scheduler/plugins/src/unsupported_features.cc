#include "unsupported_features.h"

#include <algorithm>
#include <iterator>

#include <fmt/ranges.h>

namespace leadline {
namespace {

// What these need is judged by the volume plugins; another kind may need what none of them knows.
constexpr std::string_view kKnownVolumes[] = {"awsElasticBlockStore",
                                              "azureDisk",
                                              "azureFile",
                                              "cephfs",
                                              "cinder",
                                              "configMap",
                                              "csi",
                                              "downwardAPI",
                                              "emptyDir",
                                              "ephemeral",
                                              "fc",
                                              "flexVolume",
                                              "flocker",
                                              "gcePersistentDisk",
                                              "gitRepo",
                                              "glusterfs",
                                              "hostPath",
                                              "image",
                                              "iscsi",
                                              "nfs",
                                              "persistentVolumeClaim",
                                              "photonPersistentDisk",
                                              "portworxVolume",
                                              "projected",
                                              "quobyte",
                                              "rbd",
                                              "scaleIO",
                                              "secret",
                                              "storageos",
                                              "vsphereVolume"};

void AddVolumes(const PodSpec& spec, std::vector<std::string>* missing) {
  for (const Volume& volume : spec.volumes) {
    // A volume without a source is an empty directory.
    if (volume.kind.empty()) continue;
    if (std::find(std::begin(kKnownVolumes), std::end(kKnownVolumes), volume.kind) ==
        std::end(kKnownVolumes)) {
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

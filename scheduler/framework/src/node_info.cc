#include "leadline/framework/node_info.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace leadline {
namespace {

constexpr std::string_view kEveryAddress = "0.0.0.0";

// Calls `visit(protocol, port, address)` for the ports that the Pod holds while it runs: those of
// its containers and sidecars.
template <typename Visit>
void VisitHostPorts(const Pod& pod, Visit visit) {
  const auto visit_all = [&visit](const Container& container) {
    for (const ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      visit(port.protocol.empty() ? std::string("TCP") : port.protocol, port.host_port,
            port.host_ip.empty() ? std::string(kEveryAddress) : port.host_ip);
    }
  };
  for (const Container& container : pod.spec.init_containers) {
    if (container.restart_always) visit_all(container);
  }
  for (const Container& container : pod.spec.containers) visit_all(container);
}

bool HasAffinity(const PodInfo& pod) {
  const PodAffinity& near = pod.pod->spec.pod_affinity;
  const PodAffinity& far = pod.pod->spec.pod_anti_affinity;
  return !near.required.empty() || !near.preferred.empty() || !far.required.empty() ||
         !far.preferred.empty();
}

std::uint64_t NextGeneration() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

bool HasRequiredAntiAffinity(const PodInfo& pod) {
  return !pod.pod->spec.pod_anti_affinity.required.empty();
}

// Volumes that can conflict or are limited on a node, by their fields in the API.
constexpr std::array<std::string_view, 9> kStorageVolumes = {
    "persistentVolumeClaim", "ephemeral", "awsElasticBlockStore", "azureDisk", "cinder",
    "gcePersistentDisk",     "iscsi",     "portworxVolume",       "rbd"};

std::size_t CountStorageVolumes(const PodInfo& pod) {
  const auto& volumes = pod.pod->spec.volumes;
  return static_cast<std::size_t>(
      std::count_if(volumes.begin(), volumes.end(), [](const Volume& volume) {
        return std::find(kStorageVolumes.begin(), kStorageVolumes.end(), volume.kind) !=
               kStorageVolumes.end();
      }));
}

}  // namespace

PodInfo::PodInfo(std::shared_ptr<const Pod> of)
    : pod(std::move(of)),
      requests(ToResource(PodRequests(*pod))),
      bound_requests(ToResource(BoundPodRequests(*pod))),
      non_zero(ComputeNonZeroRequests(*pod)) {}

void HostPorts::Add(const Pod& pod) {
  VisitHostPorts(pod, [this](std::string protocol, int port, std::string address) {
    ports_.emplace(std::move(protocol), port, std::move(address));
  });
}

void HostPorts::Remove(const Pod& pod) {
  VisitHostPorts(pod, [this](std::string protocol, int port, std::string address) {
    const auto one = ports_.find({std::move(protocol), port, std::move(address)});
    if (one != ports_.end()) ports_.erase(one);
  });
}

bool HostPorts::Conflicts(const Pod& pod) const {
  bool conflict = false;
  VisitHostPorts(pod, [&](const std::string& protocol, int port, const std::string& address) {
    const auto first = ports_.lower_bound({protocol, port, ""});
    for (auto taken = first; taken != ports_.end() && !conflict; ++taken) {
      const auto& [used_protocol, used_port, used_address] = *taken;
      if (used_protocol != protocol || used_port != port) break;
      conflict =
          address == used_address || address == kEveryAddress || used_address == kEveryAddress;
    }
  });
  return conflict;
}

NodeInfo::NodeInfo(std::shared_ptr<const Node> node) { SetNode(std::move(node)); }

void NodeInfo::SetNode(std::shared_ptr<const Node> node) {
  node_ = std::move(node);
  allocatable_ = ToResource(node_->allocatable);
  generation_ = NextGeneration();
}

void NodeInfo::AddPod(std::shared_ptr<const PodInfo> pod) {
  requested_.Add(pod->bound_requests);
  non_zero_.milli_cpu += pod->non_zero.milli_cpu;
  non_zero_.memory += pod->non_zero.memory;
  ports_.Add(*pod->pod);
  if (HasRequiredAntiAffinity(*pod)) ++anti_affinity_pods_;
  if (HasAffinity(*pod)) affinity_.push_back(pod);
  if (const std::size_t volumes = CountStorageVolumes(*pod)) {
    storage_volumes_ += volumes;
    storage_pods_.push_back(pod);
  }
  pods_.push_back(std::move(pod));
  generation_ = NextGeneration();
}

bool NodeInfo::RemovePod(std::string_view uid) {
  const auto at = std::find_if(pods_.begin(), pods_.end(),
                               [uid](const auto& pod) { return pod->uid() == uid; });
  if (at == pods_.end()) return false;
  const PodInfo& pod = **at;
  requested_.Subtract(pod.bound_requests);
  non_zero_.milli_cpu -= pod.non_zero.milli_cpu;
  non_zero_.memory -= pod.non_zero.memory;
  ports_.Remove(*pod.pod);
  if (HasRequiredAntiAffinity(pod)) --anti_affinity_pods_;
  std::erase(affinity_, *at);
  if (const std::size_t volumes = CountStorageVolumes(pod)) {
    storage_volumes_ -= volumes;
    std::erase(storage_pods_, *at);
  }
  pods_.erase(at);
  generation_ = NextGeneration();
  return true;
}

}  // namespace leadline

#include "node_resources_fit.h"

#include <algorithm>

namespace leadline {
namespace {

using Strategy = NodeResourcesFitArgs::Strategy;

// Collects the resources that are short.
class Shortages {
 public:
  void Check(std::string_view name, std::int64_t wanted, std::int64_t allocatable,
             std::int64_t taken) {
    if (wanted <= 0 || wanted <= allocatable - taken) return;  // 0 fits an overbooked node, too
    reasons_.push_back("Insufficient " + std::string(name));
    unresolvable_ = unresolvable_ || wanted > allocatable;
  }
  void Add(std::string reason) { reasons_.push_back(std::move(reason)); }

  Status ToStatus() && {
    if (reasons_.empty()) return {};
    return Status(
        unresolvable_ ? Status::Code::kUnschedulableAndUnresolvable : Status::Code::kUnschedulable,
        std::move(reasons_));
  }

 private:
  std::vector<std::string> reasons_;
  bool unresolvable_ = false;  // more than the empty node has
};

struct Usage {
  std::int64_t allocatable = 0;
  std::int64_t requested = 0;  // with the Pod on the node
};

// Scoring takes the non-zero requests, so that Pods that ask for nothing still spread.
Usage FindUsage(std::string_view resource, const PodInfo& pod, const NodeInfo& node) {
  const Resource& allocatable = node.allocatable();
  const NonZeroRequests& taken = node.non_zero_requested();
  if (resource == "cpu") {
    return {allocatable.milli_cpu, taken.milli_cpu + pod.non_zero.milli_cpu};
  }
  if (resource == "memory") return {allocatable.memory, taken.memory + pod.non_zero.memory};
  if (resource == "ephemeral-storage") {
    return {allocatable.ephemeral_storage,
            node.requested().ephemeral_storage + pod.bound_requests.ephemeral_storage};
  }
  const std::int64_t wanted = pod.bound_requests.Scalar(resource);
  if (wanted == 0) return {};  // what the Pod does not use says nothing about the node
  return {allocatable.Scalar(resource), node.requested().Scalar(resource) + wanted};
}

std::int64_t Percent(Strategy strategy, const Usage& usage) {
  const std::int64_t taken = std::min(usage.requested, usage.allocatable);
  const std::int64_t part =
      strategy == Strategy::kLeastAllocated ? usage.allocatable - taken : taken;
  return part * kMaxNodeScore / usage.allocatable;
}

}  // namespace

std::vector<ClusterEvent> NodeResourcesFit::EventsToRegister() const {
  return {ClusterEvent::kAssignedPodDelete, ClusterEvent::kNodeAdd,
          ClusterEvent::kNodeAllocatableUpdate, ClusterEvent::kAssignedPodUpdate,
          ClusterEvent::kUnscheduledPodUpdate};
}

bool NodeResourcesFit::Ignores(const std::string& resource) const {
  const std::size_t slash = resource.find('/');
  if (slash == std::string::npos || resource.find("kubernetes.io/") != std::string::npos) {
    return false;  // only extended resources can be ignored
  }
  return args_.ignored_resources.contains(resource) ||
         args_.ignored_resource_groups.contains(resource.substr(0, slash));
}

Status NodeResourcesFit::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  const Resource& wanted = pod.requests;
  const Resource& has = node.allocatable();
  const Resource& taken = node.requested();
  Shortages shortages;
  if (static_cast<std::int64_t>(node.pods().size()) + 1 > has.allowed_pods) {
    shortages.Add("Too many pods");
  }
  shortages.Check("cpu", wanted.milli_cpu, has.milli_cpu, taken.milli_cpu);
  shortages.Check("memory", wanted.memory, has.memory, taken.memory);
  shortages.Check("ephemeral-storage", wanted.ephemeral_storage, has.ephemeral_storage,
                  taken.ephemeral_storage);
  for (const auto& [name, amount] : wanted.scalars) {
    if (!Ignores(name)) shortages.Check(name, amount, has.Scalar(name), taken.Scalar(name));
  }
  return std::move(shortages).ToStatus();
}

Result<std::int64_t> NodeResourcesFit::Score(const CycleState&, const PodInfo& pod,
                                             const NodeInfo& node, std::size_t) {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const auto& [resource, weight] : args_.resources) {
    const Usage usage = FindUsage(resource, pod, node);
    if (usage.allocatable <= 0) continue;
    sum += Percent(args_.strategy, usage) * weight;
    weights += weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

}  // namespace leadline

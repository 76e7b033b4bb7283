#include "node_resources_fit.h"

#include <algorithm>
#include <cmath>

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

std::int64_t ScoreOf(const NodeResourcesFitArgs& args, const ResourceUsage& usage) {
  const std::int64_t requested = usage.allocated + usage.wanted;
  const std::int64_t taken = std::min(requested, usage.allocatable);
  switch (args.strategy) {
    case Strategy::kLeastAllocated:
      return (usage.allocatable - taken) * kMaxNodeScore / usage.allocatable;
    case Strategy::kMostAllocated:
      return taken * kMaxNodeScore / usage.allocatable;
    case Strategy::kRequestedToCapacityRatio:
      return ScoreAt(args.shape, taken * 100 / usage.allocatable);
  }
  return 0;
}

}  // namespace

bool NodeResourcesFit::Ignores(const std::string& resource) const {
  const std::size_t slash = resource.find('/');
  if (slash == std::string::npos || resource.find("kubernetes.io/") != std::string::npos) {
    return false;  // only extended resources can be ignored
  }
  return args_.ignored_resources.contains(resource) ||
         args_.ignored_resource_groups.contains(resource.substr(0, slash));
}

Status NodeResourcesFit::Filter(const CycleState&, const PodInfo& pod, const NodeInfo& node) {
  return Judge(pod.requests, node);
}

Status NodeResourcesFit::Judge(const Resource& wanted, const NodeInfo& node) const {
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
  const bool by_shape = args_.strategy == Strategy::kRequestedToCapacityRatio;
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const ScoredResource& resource : args_.resources) {
    const ResourceUsage usage = UsageOf(resource, pod, node, true);
    if (usage.allocatable <= 0) continue;
    const std::int64_t score = ScoreOf(args_, usage);
    if (by_shape && score == 0) continue;  // counts neither for the node nor against it
    sum += score * resource.weight();
    weights += resource.weight();
  }
  if (weights == 0) return 0;
  if (!by_shape) return sum / weights;
  return static_cast<std::int64_t>(
      std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

}  // namespace leadline

#include "resource_usage.h"

namespace leadline {

ScoredResource::ScoredResource(std::string_view name, std::int64_t weight)
    : name_(name), weight_(weight) {
  if (name == "cpu") {
    amount_ = &Resource::milli_cpu;
    non_zero_ = &NonZeroRequests::milli_cpu;
  } else if (name == "memory") {
    amount_ = &Resource::memory;
    non_zero_ = &NonZeroRequests::memory;
  } else if (name == "ephemeral-storage") {
    amount_ = &Resource::ephemeral_storage;
  }
}

void ReadScoredResources(const YamlNode& node, std::int64_t max_weight,
                         std::vector<ScoredResource>* out) {
  std::vector<ScoredResource> resources;
  for (const YamlNode& item : node.Items()) {
    std::string name;
    std::int64_t weight = 1;
    item.Get("name").Require(&name);
    item.Get("weight").Read(&weight, 1, max_weight);
    item.RejectUnknownKeys();
    resources.emplace_back(name, weight);
  }
  if (!resources.empty()) *out = std::move(resources);
}

ResourceUsage UsageOf(const ScoredResource& resource, const PodInfo& pod, const NodeInfo& node,
                      bool non_zero) {
  const std::int64_t allocatable = resource.Of(node.allocatable());
  const std::int64_t wanted = resource.Of(pod.bound_requests);
  if (allocatable == 0 || (wanted == 0 && resource.extended())) return {};
  if (non_zero && resource.has_non_zero()) {
    return {allocatable, resource.Of(node.non_zero_requested()), resource.Of(pod.non_zero)};
  }
  return {allocatable, resource.Of(node.requested()), wanted};
}

}  // namespace leadline

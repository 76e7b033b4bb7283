#include "resource_usage.h"

namespace leadline {
namespace {

std::int64_t AmountOf(std::string_view resource, const Resource& amounts) {
  if (resource == "cpu") return amounts.milli_cpu;
  if (resource == "memory") return amounts.memory;
  if (resource == "ephemeral-storage") return amounts.ephemeral_storage;
  return amounts.Scalar(resource);
}

bool IsScalar(std::string_view resource) {
  return resource != "cpu" && resource != "memory" && resource != "ephemeral-storage";
}

}  // namespace

void ReadResourceWeights(const YamlNode& node, std::int64_t max_weight,
                         std::vector<ResourceWeight>* out) {
  std::vector<ResourceWeight> resources;
  for (const YamlNode& item : node.Items()) {
    ResourceWeight& entry = resources.emplace_back();
    item.Get("name").Require(&entry.resource);
    item.Get("weight").Read(&entry.weight, 1, max_weight);
    item.RejectUnknownKeys();
  }
  if (!resources.empty()) *out = std::move(resources);
}

std::int64_t WantedOf(std::string_view resource, const PodInfo& pod) {
  return AmountOf(resource, pod.bound_requests);
}

ResourceUsage UsageOf(std::string_view resource, const PodInfo& pod, const NodeInfo& node,
                      bool non_zero) {
  ResourceUsage usage{AmountOf(resource, node.allocatable()), AmountOf(resource, node.requested()),
                      WantedOf(resource, pod)};
  if (usage.allocatable == 0 || (usage.wanted == 0 && IsScalar(resource))) return {};
  if (non_zero && resource == "cpu") {
    usage.allocated = node.non_zero_requested().milli_cpu;
    usage.wanted = pod.non_zero.milli_cpu;
  } else if (non_zero && resource == "memory") {
    usage.allocated = node.non_zero_requested().memory;
    usage.wanted = pod.non_zero.memory;
  }
  return usage;
}

}  // namespace leadline

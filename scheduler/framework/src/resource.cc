#include "leadline/framework/resource.h"

#include <algorithm>

namespace leadline {
namespace {

using Scalars = std::vector<std::pair<std::string, std::int64_t>>;

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Names without a domain are Kubernetes' own; of those, only the listed kinds are counted.
bool IsCounted(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  return Has(name, "/") && (Has(name, "kubernetes.io/") || !name.starts_with("requests."));
}

Scalars::iterator LowerBound(Scalars& scalars, std::string_view name) {
  return std::lower_bound(
      scalars.begin(), scalars.end(), name,
      [](const auto& entry, std::string_view key) { return entry.first < key; });
}

void AddScalar(Scalars& scalars, const std::string& name, std::int64_t amount) {
  const auto at = LowerBound(scalars, name);
  if (at != scalars.end() && at->first == name) {
    at->second += amount;
  } else {
    scalars.emplace(at, name, amount);
  }
}

}  // namespace

std::int64_t Resource::Scalar(std::string_view name) const {
  const auto at =
      std::lower_bound(scalars.begin(), scalars.end(), name,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  return at != scalars.end() && at->first == name ? at->second : 0;
}

void Resource::Add(const Resource& other) {
  milli_cpu += other.milli_cpu;
  memory += other.memory;
  ephemeral_storage += other.ephemeral_storage;
  allowed_pods += other.allowed_pods;
  for (const auto& [name, amount] : other.scalars) AddScalar(scalars, name, amount);
}

void Resource::Subtract(const Resource& other) {
  milli_cpu -= other.milli_cpu;
  memory -= other.memory;
  ephemeral_storage -= other.ephemeral_storage;
  allowed_pods -= other.allowed_pods;
  for (const auto& [name, amount] : other.scalars) AddScalar(scalars, name, -amount);
}

Resource ToResource(const ResourceList& list) {
  Resource resource;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      resource.milli_cpu = quantity.MilliValue();
    } else if (name == "memory") {
      resource.memory = quantity.Value();
    } else if (name == "ephemeral-storage") {
      resource.ephemeral_storage = quantity.Value();
    } else if (name == "pods") {
      resource.allowed_pods = quantity.Value();
    } else if (IsCounted(name)) {
      AddScalar(resource.scalars, name, quantity.Value());
    }
  }
  return resource;
}

}  // namespace leadline

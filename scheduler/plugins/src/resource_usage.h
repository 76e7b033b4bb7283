// What the scores by resources compare.
#pragma once

#include <string_view>

#include "leadline/framework/node_info.h"
#include "leadline/yaml/document.h"

namespace leadline {

// A resource that a score looks at.
struct ResourceWeight {
  std::string resource;
  std::int64_t weight = 1;  // 1 to 100
};
// `resources` of a plugin's arguments; none leaves `out` as it is.
void ReadResourceWeights(const YamlNode& node, std::int64_t max_weight,
                         std::vector<ResourceWeight>* out);

// All 0 for what the node does not have, and for an extended resource that the Pod does not want:
// that says nothing about the node.
struct ResourceUsage {
  std::int64_t allocatable = 0;
  std::int64_t allocated = 0;  // by the Pods that are there
  std::int64_t wanted = 0;     // by the Pod to be placed
};

// `non_zero`: Pods without a request of CPU or memory count a little, so that they spread, too.
ResourceUsage UsageOf(std::string_view resource, const PodInfo& pod, const NodeInfo& node,
                      bool non_zero);
std::int64_t WantedOf(std::string_view resource, const PodInfo& pod);

}  // namespace leadline

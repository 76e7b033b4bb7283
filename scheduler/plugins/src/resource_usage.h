// What the scores by resources compare.
#pragma once

#include <string_view>

#include "leadline/framework/node_info.h"
#include "leadline/yaml/document.h"

namespace leadline {

// A resource that a score looks at.
class ScoredResource {
 public:
  ScoredResource(std::string_view name, std::int64_t weight);

  std::int64_t weight() const { return weight_; }
  std::int64_t Of(const Resource& amounts) const {
    return amount_ != nullptr ? amounts.*amount_ : amounts.Scalar(name_);
  }
  bool extended() const { return amount_ == nullptr; }
  // Of CPU and memory a Pod without a request counts a little; other resources have no such amount.
  bool has_non_zero() const { return non_zero_ != nullptr; }
  std::int64_t Of(const NonZeroRequests& amounts) const { return amounts.*non_zero_; }

 private:
  std::string name_;
  std::int64_t weight_;  // 1 to 100
  // Looked up by name once, not for each node. Null: one of the scalars.
  std::int64_t Resource::*amount_ = nullptr;
  std::int64_t NonZeroRequests::*non_zero_ = nullptr;
};
// `resources` of a plugin's arguments; none leaves `out` as it is.
void ReadScoredResources(const YamlNode& node, std::int64_t max_weight,
                         std::vector<ScoredResource>* out);

// All 0 for what the node does not have, and for an extended resource that the Pod does not want:
// that says nothing about the node.
struct ResourceUsage {
  std::int64_t allocatable = 0;
  std::int64_t allocated = 0;  // by the Pods that are there
  std::int64_t wanted = 0;     // by the Pod to be placed
};

// `non_zero`: Pods without a request of CPU or memory count a little, so that they spread, too.
ResourceUsage UsageOf(const ScoredResource& resource, const PodInfo& pod, const NodeInfo& node,
                      bool non_zero);

}  // namespace leadline

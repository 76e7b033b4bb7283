// Amounts of resources as Filter compares them: int64, cpu in milli, everything else in whole
// units, rounded up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/kubernetes/pod.h"

namespace leadline {

struct Resource {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t allowed_pods = 0;  // of a node's allocatable
  // Extended resources, hugepages and the like; sorted by name.
  std::vector<std::pair<std::string, std::int64_t>> scalars;

  std::int64_t Scalar(std::string_view name) const;  // 0 when not listed
  void Add(const Resource& other);
  void Subtract(const Resource& other);
  friend bool operator==(const Resource&, const Resource&) = default;
};

Resource ToResource(const ResourceList& list);

// What a Pod asks for before it is on a node: max(containers + sidecars, init peaks) + overhead,
// Pod-level requests in the place of the sum. k8s.io/component-helpers/resource, PodRequests.
ResourceList PodRequests(const Pod& pod);

// What a Pod on a node holds: the largest of spec, allocated and in force, so that a resize that
// has not happened yet is not believed (KEP-1287).
ResourceList BoundPodRequests(const Pod& pod);

// Requests for scoring: a container without a cpu or memory request counts 100m and 200Mi.
// k8s.io/kubernetes/pkg/scheduler/util, GetNonzeroRequests.
struct NonZeroRequests {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  friend bool operator==(const NonZeroRequests&, const NonZeroRequests&) = default;
};
NonZeroRequests ComputeNonZeroRequests(const Pod& pod);

}  // namespace leadline

// The rules of k8s.io/component-helpers/resource, PodRequests, in the words of KEP-753 (sidecars),
// KEP-1287 (resize in place) and KEP-2837 (Pod-level resources).
#include <algorithm>
#include <string>

#include "leadline/framework/resource.h"

namespace leadline {
namespace {

// Merges two sorted lists, joining the amounts of a name that is in both.
template <typename Join>
ResourceList Merge(const ResourceList& a, const ResourceList& b, Join join) {
  ResourceList merged;
  merged.reserve(a.size() + b.size());
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && left->first < right->first)) {
      merged.push_back(*left++);
    } else if (left == a.end() || right->first < left->first) {
      merged.push_back(*right++);
    } else {
      merged.emplace_back(left->first, join(left->second, right->second));
      ++left;
      ++right;
    }
  }
  return merged;
}

ResourceList Sum(const ResourceList& a, const ResourceList& b) {
  return Merge(a, b, [](const Quantity& x, const Quantity& y) { return x + y; });
}

ResourceList Max(const ResourceList& a, const ResourceList& b) {
  return Merge(a, b, [](const Quantity& x, const Quantity& y) { return std::max(x, y); });
}

// `list` with the names it lacks taken from `defaults`.
ResourceList Fill(const ResourceList& list, const ResourceList& defaults) {
  return Merge(list, defaults, [](const Quantity& x, const Quantity&) { return x; });
}

// max(containers + sidecars, each init container with the sidecars before it), where
// `requests(container)` says what one container asks for.
template <typename Requests>
ResourceList OverContainers(const PodSpec& spec, Requests requests) {
  ResourceList steady;
  for (const Container& container : spec.containers) steady = Sum(steady, requests(container));
  ResourceList sidecars;
  ResourceList peak;
  for (const Container& container : spec.init_containers) {
    const ResourceList own = requests(container);
    const ResourceList running = Sum(own, sidecars);
    if (container.restart_always) {
      steady = Sum(steady, own);
      sidecars = running;
    }
    peak = Max(peak, running);
  }
  return Max(steady, peak);
}

bool IsPodLevelResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

// Pod-level requests in the place of what the containers come to.
ResourceList WithPodLevel(const ResourceList& list, const ResourceList& pod_level) {
  ResourceList named;
  std::copy_if(pod_level.begin(), pod_level.end(), std::back_inserter(named),
               [](const auto& entry) { return IsPodLevelResource(entry.first); });
  return Fill(named, list);
}

bool HasPodLevelRequests(const Pod& pod) {
  const auto& requests = pod.spec.pod_requests;
  return requests && std::any_of(requests->begin(), requests->end(),
                                 [](const auto& entry) { return IsPodLevelResource(entry.first); });
}

// The kubelet will never grant what the spec asks for. Only the first such condition counts.
bool ResizeInfeasible(const Pod& pod) {
  const PodCondition* pending = pod.FindCondition("PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

const ContainerResourcesStatus* FindStatus(const Pod& pod, const std::string& name) {
  for (const auto* list : {&pod.status.containers, &pod.status.init_containers}) {
    for (const ContainerResourcesStatus& status : *list) {
      if (status.name == name) return &status;
    }
  }
  return nullptr;
}

// What the containers of a Pod on a node hold; `defaults` stand in for missing requests.
ResourceList HeldByContainers(const Pod& pod, const ResourceList& defaults) {
  const bool infeasible = ResizeInfeasible(pod);
  static const ResourceList kNothing;
  const auto spec = [&](const Container& container) { return Fill(container.requests, defaults); };
  const auto allocated = [&](const Container& container) {
    const ContainerResourcesStatus* status = FindStatus(pod, container.name);
    if (status != nullptr && status->allocated) return Fill(*status->allocated, defaults);
    return Fill(infeasible ? kNothing : container.requests, defaults);
  };
  const auto in_force = [&](const Container& container) {
    const ContainerResourcesStatus* status = FindStatus(pod, container.name);
    return status != nullptr && status->in_force ? Fill(*status->in_force, defaults)
                                                 : allocated(container);
  };
  // Without a status (most Pods in a queue) all three are the same.
  const bool no_status = pod.status.containers.empty() && pod.status.init_containers.empty();
  ResourceList held;
  if (pod.status.allocated && pod.status.in_force) {
    held = Max(*pod.status.allocated, *pod.status.in_force);
  } else if (no_status && !infeasible) {
    return OverContainers(pod.spec, spec);
  } else {
    held = Max(OverContainers(pod.spec, allocated), OverContainers(pod.spec, in_force));
  }
  return infeasible ? held : Max(held, OverContainers(pod.spec, spec));
}

ResourceList HeldAtPodLevel(const Pod& pod) {
  const ResourceList& spec = *pod.spec.pod_requests;
  if (!pod.status.has_resources) return spec;
  ResourceList held = Max(pod.status.in_force.value_or(ResourceList()),
                          pod.status.allocated.value_or(ResourceList()));
  return ResizeInfeasible(pod) ? held : Max(held, spec);
}

ResourceList BoundRequests(const Pod& pod, const ResourceList& defaults) {
  ResourceList held = HeldByContainers(pod, defaults);
  if (HasPodLevelRequests(pod)) held = WithPodLevel(held, HeldAtPodLevel(pod));
  return Sum(held, pod.spec.overhead);
}

}  // namespace

ResourceList PodRequests(const Pod& pod) {
  ResourceList requests =
      OverContainers(pod.spec, [](const Container& container) { return container.requests; });
  if (HasPodLevelRequests(pod)) requests = WithPodLevel(requests, *pod.spec.pod_requests);
  return Sum(requests, pod.spec.overhead);
}

ResourceList BoundPodRequests(const Pod& pod) { return BoundRequests(pod, {}); }

NonZeroRequests ComputeNonZeroRequests(const Pod& pod) {
  static const ResourceList kDefaults = {{"cpu", Quantity::FromMilli(100)},
                                         {"memory", Quantity::FromUnits(200 * 1024 * 1024)}};
  ResourceList defaults = kDefaults;
  if (HasPodLevelRequests(pod)) {
    // A Pod-level request covers the containers that name none.
    const ResourceList requests = BoundPodRequests(pod);
    std::erase_if(defaults, [&requests](const auto& entry) {
      return std::any_of(requests.begin(), requests.end(),
                         [&entry](const auto& one) { return one.first == entry.first; });
    });
  }
  const Resource resource = ToResource(BoundRequests(pod, defaults));
  return {resource.milli_cpu, resource.memory};
}

}  // namespace leadline

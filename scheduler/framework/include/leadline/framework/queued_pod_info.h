// A waiting Pod and what the queue remembers of its attempts.
// k8s.io/kubernetes/pkg/scheduler/framework, QueuedPodInfo.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/framework/node_info.h"

namespace leadline {

struct QueuedPodInfo {
  std::shared_ptr<const PodInfo> pod;
  SteadyTime queued_at{};                        // entered the active queue this time
  std::optional<SteadyTime> initial_attempt_at;  // popped for the first time
  int attempts = 0;                              // counts the attempt that runs
  int deferrals = 0;                             // how often the policy put it off
  std::set<std::string> unschedulable_plugins;   // turned it down in the last attempt
  bool gated = false;                            // held by a PreEnqueue plugin
};

}  // namespace leadline

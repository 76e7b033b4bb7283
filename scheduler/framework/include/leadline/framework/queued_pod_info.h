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
  SteadyTime queued_at{};                        // came, or failed for the last time
  std::optional<SteadyTime> initial_attempt_at;  // might be tried for the first time
  int attempts = 0;                              // counts the attempt that runs
  int rejections = 0;                            // how often plugins turned it down
  int consecutive_errors = 0;                    // attempts since then that ended in an error
  int deferrals = 0;                             // how often the policy put it off
  // Turned it down in the last attempt, or hold it back since.
  std::set<std::string> unschedulable_plugins;
  bool gated = false;  // held by a PreEnqueue plugin
};

}  // namespace leadline

// What a decision was worth, from what Kubernetes reports afterwards (REQUIREMENTS A5).
//
// The reward is kept as its named parts, so that logs and metrics can show them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

enum class RewardEvent {
  kPodScheduled,           // "PodScheduled"
  kInsufficientResources,  // the Pod failed for want of resources
  kNetworkUnreachable,     // the Pod failed because its node could not be reached
  kPodFailed,              // the Pod failed, anything else
  kNodeReady,              // a node became Ready
};
inline constexpr std::size_t kRewardEvents = 5;

// "PodScheduled", "InsufficientResources", ...
std::string_view RewardEventName(RewardEvent event);
// kInvalidArgument naming the known ones: a name that matches nothing would pay nothing, silently.
Result<RewardEvent> ParseRewardEvent(std::string_view name);

struct RewardConfig {
  std::vector<std::pair<std::string, double>> events = {{"PodScheduled", 1.0},
                                                        {"InsufficientResources", -2.0},
                                                        {"NetworkUnreachable", -1.5},
                                                        {"PodFailed", -0.5},
                                                        {"NodeReady", 0.3}};
  double balance_bonus = 0.5;     // >= 0: at most this much for balance
  double balance_scale = 0.2;     // > 0: a ratio this far from the mean earns 1/e of its bonus
  double cpu_weight = 0.4;        // >= 0: part of CPU in the balance bonus, against mem_weight
  double mem_weight = 0.3;        // >= 0
  double latency_penalty = -0.8;  // <= 0: reward of a latency of 100 ms or more
};

// The chosen node with the Pod on it. What is not known earns no bonus and costs no penalty.
struct Placement {
  std::optional<double> cpu_ratio;  // used, of the chosen node, 0 to 1
  std::optional<double> memory_ratio;
  std::optional<double> latency_ms;
  std::optional<double> mean_cpu_ratio;  // over the nodes of the cluster
  std::optional<double> mean_memory_ratio;
};

struct Reward {
  double total = 0;
  std::vector<std::pair<std::string, double>> parts;  // their sum is the total
};

// A plain value, thread-safe.
class RewardCalculator {
 public:
  // kInvalidArgument: an unknown event name, a number that is not finite or has the wrong sign,
  // or cpu_weight, mem_weight and latency_penalty all zero.
  static Result<RewardCalculator> Create(const RewardConfig& config);

  // The event's value, and for a scheduled Pod
  //   + balance_bonus * weighted mean of exp(-|used - mean used| / balance_scale), CPU and memory
  //   + latency_penalty * min(1, latency_ms / 100).
  Reward Of(RewardEvent event, const Placement& placement = {}) const;

 private:
  explicit RewardCalculator(const RewardConfig& config) : config_(config) {}

  RewardConfig config_;
  double values_[kRewardEvents] = {};
};

}  // namespace leadline

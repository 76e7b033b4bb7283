// What a decision is worth (REQUIREMENTS A5), kept as a vector of named parts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

// The events that may be named in the configuration.
inline constexpr std::string_view kPodScheduled = "PodScheduled";
inline constexpr std::string_view kInsufficientResources = "InsufficientResources";
inline constexpr std::string_view kNetworkUnreachable = "NetworkUnreachable";
inline constexpr std::string_view kPodFailed = "PodFailed";
inline constexpr std::string_view kNodeReady = "NodeReady";

struct RewardConfig {
  std::map<std::string, double, std::less<>> events = {{"PodScheduled", 1.0},
                                                       {"InsufficientResources", -2.0},
                                                       {"NetworkUnreachable", -1.5},
                                                       {"PodFailed", -0.5},
                                                       {"NodeReady", 0.3}};
  double balance_bonus = 0.5;     // at most this much for a Pod that was scheduled
  double cpu_weight = 0.4;        // of the CPU's part in the bonus
  double mem_weight = 0.3;        // of the memory's part
  double latency_penalty = -0.8;  // times min(1, ms / 100)

  // kInvalidArgument: all weights zero (nothing could be learned), or an event that no part of
  // Kubernetes reports.
  Result<void> Validate() const;
};

// The node that was chosen, in the units of the encoder "three", and the means of the cluster.
struct PlacementState {
  double cpu = 0, memory = 0, latency = 0;
  double mean_cpu = 0, mean_memory = 0;
};

struct Reward {
  std::vector<std::pair<std::string, double>> parts;
  double Total() const;
};

// Stateless and thread-safe.
class RewardCalculator {
 public:
  explicit RewardCalculator(RewardConfig config) : config_(std::move(config)) {}

  // The Pod was scheduled there: base, balance bonus, latency penalty.
  Reward Scheduled(const PlacementState& state) const;
  // Any other event; nothing for one that is not configured.
  Reward Event(std::string_view event) const;

  const RewardConfig& config() const { return config_; }

 private:
  RewardConfig config_;
};

}  // namespace leadline

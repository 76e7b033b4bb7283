#include "leadline/rl/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace leadline {
namespace {

constexpr std::array<std::string_view, 5> kEvents = {kPodScheduled, kInsufficientResources,
                                                     kNetworkUnreachable, kPodFailed, kNodeReady};

}  // namespace

Result<void> RewardConfig::Validate() const {
  for (const auto& [name, value] : events) {
    if (std::find(kEvents.begin(), kEvents.end(), name) == kEvents.end()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("events: \"{}\" matches nothing that Kubernetes reports; there are "
                               "{}",
                               name, fmt::join(kEvents, ", ")));
    }
  }
  const bool any_event = std::any_of(events.begin(), events.end(),
                                     [](const auto& event) { return event.second != 0; });
  const bool any_bonus = balance_bonus != 0 && (cpu_weight != 0 || mem_weight != 0);
  if (!any_event && !any_bonus && latency_penalty == 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "all weights are zero: every reward would be 0 and nothing could be learned");
  }
  return {};
}

double Reward::Total() const {
  double total = 0;
  for (const auto& part : parts) total += part.second;
  return total;
}

Reward RewardCalculator::Scheduled(const PlacementState& state) const {
  Reward reward = Event(kPodScheduled);
  const double weights = config_.cpu_weight + config_.mem_weight;
  if (config_.balance_bonus != 0 && weights > 0) {
    const double apart = (config_.cpu_weight * std::abs(state.cpu - state.mean_cpu) +
                          config_.mem_weight * std::abs(state.memory - state.mean_memory)) /
                         weights;
    reward.parts.emplace_back("balance", config_.balance_bonus * std::max(0.0, 1.0 - apart));
  }
  if (config_.latency_penalty != 0) {
    reward.parts.emplace_back("latency", config_.latency_penalty * state.latency);
  }
  return reward;
}

Reward RewardCalculator::Event(std::string_view event) const {
  Reward reward;
  const auto found = config_.events.find(event);
  if (found != config_.events.end()) reward.parts.emplace_back(found->first, found->second);
  return reward;
}

}  // namespace leadline

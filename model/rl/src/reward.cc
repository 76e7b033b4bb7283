#include "leadline/rl/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "leadline/features/three.h"
#include "names.h"

namespace leadline {
namespace {

constexpr std::array<std::string_view, kRewardEvents> kEventNames = {
    "PodScheduled", "InsufficientResources", "NetworkUnreachable", "PodFailed", "NodeReady"};

Error Mistake(std::string message) {
  return Error(ErrorCode::kInvalidArgument, std::move(message));
}

struct NamedNumber {
  std::string_view name;
  double value;
  int sign;  // it must have, or be 0
};

Result<void> CheckNumbers(const RewardConfig& config) {
  const NamedNumber numbers[] = {{"balance_bonus", config.balance_bonus, 1},
                                 {"cpu_weight", config.cpu_weight, 1},
                                 {"mem_weight", config.mem_weight, 1},
                                 {"latency_penalty", config.latency_penalty, -1}};
  for (const NamedNumber& number : numbers) {
    if (!std::isfinite(number.value) || number.value * number.sign < 0) {
      return Mistake(fmt::format("{} is {}; it must be 0 or {}", number.name, number.value,
                                 number.sign > 0 ? "greater" : "less"));
    }
  }
  if (!(config.balance_scale > 0) || !std::isfinite(config.balance_scale)) {
    return Mistake(
        fmt::format("balance_scale is {}; it must be greater than 0", config.balance_scale));
  }
  if (config.cpu_weight == 0 && config.mem_weight == 0 && config.latency_penalty == 0) {
    return Mistake(
        "cpu_weight, mem_weight and latency_penalty are all 0: every node would be "
        "worth the same");
  }
  return {};
}

// 1 when use equals the mean, falling to 1/e at `scale` from it; 0 when one is not known.
double Closeness(const std::optional<double>& used, const std::optional<double>& mean,
                 double scale) {
  if (!used || !mean || !std::isfinite(*used) || !std::isfinite(*mean)) return 0.0;
  return std::exp(-std::abs(*used - *mean) / scale);
}

}  // namespace

std::string_view RewardEventName(RewardEvent event) {
  return kEventNames[static_cast<std::size_t>(event)];
}

Result<RewardEvent> ParseRewardEvent(std::string_view name) {
  return ParseName<RewardEvent>("reward event", name, kEventNames);
}

Result<RewardCalculator> RewardCalculator::Create(const RewardConfig& config) {
  if (auto checked = CheckNumbers(config); !checked) return checked.error();
  RewardCalculator calculator(config);
  for (const auto& [name, value] : config.events) {
    const auto event = ParseRewardEvent(name);
    if (!event) return event.error();
    if (!std::isfinite(value)) return Mistake(fmt::format("events.{} is {}", name, value));
    calculator.values_[static_cast<std::size_t>(*event)] = value;
  }
  return calculator;
}

Reward RewardCalculator::Of(RewardEvent event, const Placement& placement) const {
  Reward reward;
  const auto add = [&reward](std::string_view name, double value) {
    reward.parts.emplace_back(name, value);
    reward.total += value;
  };
  add(RewardEventName(event), values_[static_cast<std::size_t>(event)]);
  if (event != RewardEvent::kPodScheduled) return reward;
  const double weights = config_.cpu_weight + config_.mem_weight;
  const double scale = weights > 0 ? config_.balance_bonus / weights : 0.0;
  add("cpu_balance",
      scale * config_.cpu_weight *
          Closeness(placement.cpu_ratio, placement.mean_cpu_ratio, config_.balance_scale));
  add("memory_balance",
      scale * config_.mem_weight *
          Closeness(placement.memory_ratio, placement.mean_memory_ratio, config_.balance_scale));
  const auto three = EncodeThree({}, {}, placement.latency_ms, {0.0, 0.0, 0.0});
  add("latency", config_.latency_penalty * three[2]);
  return reward;
}

}  // namespace leadline

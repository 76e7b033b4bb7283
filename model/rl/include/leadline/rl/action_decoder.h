// From action values to a choice, with an ordered chain of fallbacks (REQUIREMENTS A6).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"

namespace leadline {

// When a fallback applies.
enum class FallbackCondition {
  kNoModel,       // "no_model": no weights are loaded
  kNoMetrics,     // "no_metrics": nothing was ever measured of any candidate
  kStaleMetrics,  // "stale_metrics": of most candidates nothing fresh is known
  kNonFinite,     // "non_finite": a value is NaN or infinite
  kRejected,      // "rejected": the network would rather wait
};
// Who decides instead of the network.
enum class FallbackChoice {
  kLeastAllocated,  // "least_allocated": most free by requests
  kBestFeasible,    // "best_feasible": the network's best node, whatever rejecting is worth
  kRandom,          // "random"
  kReject,          // "reject": wait
};
std::string_view FallbackConditionName(FallbackCondition condition);
std::string_view FallbackChoiceName(FallbackChoice choice);
Result<FallbackCondition> ParseFallbackCondition(std::string_view name);
Result<FallbackChoice> ParseFallbackChoice(std::string_view name);

struct Fallback {
  FallbackCondition when;
  FallbackChoice use;
};

struct DecoderConfig {
  int max_rejections = 3;
  // In this order; the first that applies decides.
  std::vector<Fallback> fallbacks = {
      {FallbackCondition::kNoModel, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kNoMetrics, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kStaleMetrics, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kNonFinite, FallbackChoice::kLeastAllocated}};
};

struct DecoderInput {
  std::span<const float> values;           // n + 1, the last of rejecting; empty without a model
  std::span<const float> least_allocated;  // n scores, higher is freer
  bool has_metrics = false;
  bool stale_metrics = false;
  int rejections = 0;    // of this Pod so far
  double epsilon = 0.0;  // explores among the candidates only, never to reject
};

struct DecodedAction {
  std::size_t action = 0;       // n: reject
  std::string fallback;         // who decided instead of the network; empty: the network did
  std::string fallback_reason;  // the condition that held, or "max_rejections"
  bool explored = false;
  double propensity = 1.0;
};

// A plain value: replace it to change the chain while the scheduler runs. At least one candidate.
class ActionDecoder {
 public:
  explicit ActionDecoder(DecoderConfig config = {}) : config_(std::move(config)) {}

  DecodedAction Decode(const DecoderInput& input, Rng& rng) const;
  const DecoderConfig& config() const { return config_; }

 private:
  bool Holds(FallbackCondition condition, const DecoderInput& input, std::size_t nodes) const;
  DecodedAction Choose(FallbackChoice choice, const DecoderInput& input, Rng& rng) const;

  DecoderConfig config_;
};

}  // namespace leadline

// From action values to an action (REQUIREMENTS A2, A3, A6): the best value, epsilon-greedy while
// exploring, and an ordered chain of fallbacks for when the network must not or cannot decide.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"
#include "leadline/features/observation.h"

namespace leadline {

// Why the network's choice would not be taken.
enum class FallbackCondition {
  kNoModel,       // there are no values: no weights, or they were refused
  kNoMetrics,     // nothing was measured of any node
  kStaleMetrics,  // what was measured is too old
  kNonFinite,     // a value is not a finite number
  kRejected,      // the network would wait
};

// Who decides instead.
enum class FallbackChoice {
  kLeastAllocated,  // most free by requests
  kBestFeasible,    // the network's best node, never waiting
  kRandom,          // any node
  kReject,          // wait and try again
};

// "no_model", "least_allocated", ...: the names of the configuration, logs and metric labels.
std::string_view FallbackConditionName(FallbackCondition condition);
std::string_view FallbackChoiceName(FallbackChoice choice);
// kInvalidArgument naming the known ones.
Result<FallbackCondition> ParseFallbackCondition(std::string_view name);
Result<FallbackChoice> ParseFallbackChoice(std::string_view name);

struct FallbackRule {
  FallbackCondition when;
  FallbackChoice use;
};

struct DecoderConfig {
  // Looked through in this order; the first rule whose condition holds and whose choice can be
  // made decides. A condition without a rule leaves the choice to the network as long as it has
  // finite values, else to kLeastAllocated.
  std::vector<FallbackRule> chain = {
      {FallbackCondition::kNoModel, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kNoMetrics, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kStaleMetrics, FallbackChoice::kLeastAllocated},
      {FallbackCondition::kNonFinite, FallbackChoice::kLeastAllocated},
  };
  // After so many rejections of a Pod a node is taken: no Pod starves by rejections alone.
  int max_rejections = 3;
};

// `nodes` are the n candidates, all of them feasible; n >= 1.
struct DecoderInput {
  std::span<const float> values;  // n + 1, the last one of rejecting; empty: no model
  std::span<const NodeState> nodes;
  PodFeatures pod;
  bool no_metrics = false;
  bool stale_metrics = false;
  int rejections = 0;    // of this Pod so far
  double epsilon = 0.0;  // explores among the nodes, never by rejecting
};

struct DecodedAction {
  std::size_t action = 0;     // index of the node; nodes.size() is reject
  std::string_view fallback;  // name of who decided instead; empty: the network
  std::string_view reason;    // why: a condition's name, or "max_rejections"
  bool explored = false;      // drawn by exploring
  double propensity = 1.0;    // probability with which this action is taken
};

// A plain value: replace it to change the chain while the scheduler runs. Decode() is const and
// thread-safe with a generator of the caller's own.
class ActionDecoder {
 public:
  explicit ActionDecoder(DecoderConfig config = {}) : config_(std::move(config)) {}

  // Equals are drawn from, so that no node is preferred for its name.
  DecodedAction Decode(const DecoderInput& input, Rng* rng) const;

  const DecoderConfig& config() const { return config_; }

 private:
  // The network decides: at least one node's value is finite.
  DecodedAction DecodeValues(const DecoderInput& input, Rng* rng) const;

  DecoderConfig config_;
};

}  // namespace leadline

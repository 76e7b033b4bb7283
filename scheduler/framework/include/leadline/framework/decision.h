// One scheduling decision as logs, metrics and explanations tell it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/snapshot.h"
#include "leadline/framework/status.h"

namespace leadline {

// The contract state of REQUIREMENTS A1: ratios in [0, 1], latency in milliseconds; a missing
// value is empty, never zero.
struct ThreeState {
  std::optional<double> cpu_ratio;
  std::optional<double> memory_ratio;
  std::optional<double> latency_ms;
};

// What the learned policy saw and said; one entry of `states` and `values` a candidate, in the
// order of `Decision::candidates`.
struct LearnedDecision {
  std::vector<ThreeState> cluster;  // of the nodes of the snapshot, in its order
  std::vector<ThreeState> states;
  std::vector<float> values;  // empty when the network was not asked
  std::optional<float> reject_value;
  std::size_t action = 0;        // index of the candidate; candidates.size() is reject
  std::string fallback;          // the fallback that decided, or empty: the network did
  std::string fallback_reason;   // why: "stale_metrics", "no_model", "non_finite", ...
  bool explored = false;         // epsilon-greedy drew the action
  double propensity = 1.0;       // probability with which the policy takes this action
  std::string weights;           // version of the weights: checksum
  std::uint64_t metrics_id = 0;  // the metrics snapshot read
};

struct Decision {
  enum class Result { kScheduled, kUnschedulable, kDeferred, kError };

  std::string id;  // joins the logs; unique over restarts
  SystemTime time{};
  std::string pod;  // namespace/name
  std::string uid;
  std::string profile;
  int attempt = 1;
  Result result = Result::kError;
  std::string node;                          // chosen, when scheduled
  std::string message;                       // the FailedScheduling note otherwise
  std::shared_ptr<const Snapshot> snapshot;  // never null
  std::vector<const NodeInfo*> candidates;   // feasible nodes; the snapshot's
  NodeToStatus filtered;
  std::optional<LearnedDecision> learned;
};

// Told of every decision on the scheduling thread: copy or queue, never wait.
class DecisionObserver {
 public:
  virtual ~DecisionObserver() = default;
  virtual void OnDecision(std::shared_ptr<const Decision> decision) = 0;
};

// What came of a decision: one transition of the learning contract, complete with its reward.
struct Outcome {
  std::string decision_id;
  SystemTime time{};  // of the decision
  std::string pod;
  std::string uid;
  std::string node;               // empty: rejected
  std::array<double, 3> state{};  // of the chosen node, as the encoder "three" writes it
  std::size_t action = 0;
  std::size_t candidates = 0;  // action == candidates is the rejection
  double reward = 0;
  std::vector<std::pair<std::string, double>> reward_parts;
  std::array<double, 3> next_state{};
  bool done = false;  // true: nothing follows; false: the window was only cut
  std::string event;  // what Kubernetes reported, or "predicted" in a dry run
  std::string fallback;
  bool explored = false;
  double propensity = 1.0;
};

// Told of every outcome, from any thread: copy or queue, never wait.
class OutcomeObserver {
 public:
  virtual ~OutcomeObserver() = default;
  virtual void OnOutcome(std::shared_ptr<const Outcome> outcome) = 0;
};

}  // namespace leadline

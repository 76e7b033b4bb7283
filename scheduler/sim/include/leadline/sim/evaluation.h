// Comparing policies in the memory cluster: the same episodes for all, several test seeds, and
// confidence intervals of the paired differences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leadline/sim/placement_policy.h"

namespace leadline {

struct EvaluationOptions {
  ScenarioOptions scenarios;
  RewardConfig reward;
  bool demo = false;  // the demo's scenario instead of drawn ones
  std::vector<std::uint64_t> seeds = {1, 2, 3, 4, 5};
  std::size_t episodes = 40;  // a seed
};

// Mean over the seeds, and half the width of its 95% confidence interval (Student's t).
struct Estimate {
  double mean = 0, half_width = 0;
};
Estimate EstimateMean(const std::vector<double>& samples);

struct PolicyResult {
  std::string policy;
  std::vector<double> rewards;  // a Pod that arrived, of each seed
  double reject_share = 0;      // of the decisions
  double fail_share = 0;        // of the Pods that arrived
  double unplaced_share = 0;
  double latency_ms = 0;                           // mean of the placed
  double cpu_deviation = 0, memory_deviation = 0;  // of the used ratios over nodes, at the end
};

// One result a policy, in their order. kInvalidArgument for bad options.
Result<std::vector<PolicyResult>> Evaluate(
    const std::vector<std::unique_ptr<PlacementPolicy>>& policies,
    const EvaluationOptions& options);

// Of a's reward over b's, in pairs.
Estimate PairedDifference(const PolicyResult& a, const PolicyResult& b);

// A table for people; differences are to the first policy.
std::string FormatResults(const std::vector<PolicyResult>& results);

}  // namespace leadline

// States of the memory cluster in which several candidates were tried out on the same future.
#pragma once

#include <optional>
#include <vector>

#include "leadline/sim/placement_policy.h"
#include "leadline/sim/training.h"

namespace leadline {

struct RolloutSample {
  std::vector<float> rows;  // of the candidates tried
  std::vector<float> context;
  std::vector<double> returns;  // reward over the horizon, of each candidate
  std::vector<double> scores;   // that the rule gives each
  std::optional<double> reject_return;
  double mean_return = 0;  // of the candidates
  double decisions = 0;    // that the returns sum over
};

// Samples states on the way of `leader`, which is left for a random action now and then.
std::vector<RolloutSample> CollectSamples(const RolloutOptions& options, PlacementPolicy& leader,
                                          ClusterEnvironment environment, Rng* rng);

}  // namespace leadline

// Who decides in the memory cluster: the baselines, and the network as the scheduler uses it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"
#include "leadline/nn/weights_file.h"
#include "leadline/rl/action_decoder.h"
#include "leadline/sim/cluster_environment.h"

namespace leadline {

// Not thread-safe: may keep buffers.
class PlacementPolicy {
 public:
  virtual ~PlacementPolicy() = default;
  virtual std::string Name() const = 0;
  // An action of the environment, which is not over.
  virtual std::size_t Choose(const ClusterEnvironment& environment, Rng* rng) = 0;
};

// Any feasible node.
std::unique_ptr<PlacementPolicy> MakeRandomPolicy();
// kube-scheduler's LeastAllocated, ties drawn.
std::unique_ptr<PlacementPolicy> MakeLeastAllocatedPolicy();
// The reward that the placement seems to bring at once, plus `spread` times how empty the node is
// by requests (0 to 1): with 0 one-step greedy, otherwise the best one-parameter rule known.
std::unique_ptr<PlacementPolicy> MakeGreedyPolicy(double spread);
// What it goes by.
double GreedyScore(const ClusterEnvironment& environment, std::size_t candidate, double spread);
// The network as the scheduler uses it: encoder, forward pass, ActionDecoder. kInvalidArgument when
// the weights do not match the encoder that they name.
Result<std::unique_ptr<PlacementPolicy>> MakeNetworkPolicy(
    std::shared_ptr<const WeightsFile> weights, std::string name);

// "random", "least-allocated", "greedy" or "spread"; kInvalidArgument naming the known ones.
Result<std::unique_ptr<PlacementPolicy>> MakeBaseline(const std::string& name);

// Plays the environment to its end.
void Play(PlacementPolicy& policy, ClusterEnvironment& environment, Rng* rng);

}  // namespace leadline

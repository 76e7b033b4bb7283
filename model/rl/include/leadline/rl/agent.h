// The learning agent: deep Q-learning (Mnih et al., "Human-level control through deep reinforcement
// learning", 2015) over any number of nodes, to the letter of REQUIREMENTS A3 and A4. The options
// beyond are off by default.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"
#include "leadline/features/observation.h"
#include "leadline/nn/optimizer.h"
#include "leadline/nn/q_network.h"
#include "leadline/rl/policy.h"
#include "leadline/rl/replay_buffer.h"

namespace leadline {

enum class TdLoss { kSquared, kHuber };

struct AgentOptions {
  double learning_rate = 0.001;
  double gamma = 0.99;
  std::size_t replay_capacity = 10000;
  std::size_t batch_size = 32;
  std::size_t learn_after = 32;  // transitions before the first update
  std::uint64_t target_copy_updates = 100;
  EpsilonSchedule epsilon;
  OptimizerKind optimizer = OptimizerKind::kAdam;
  TdLoss loss = TdLoss::kSquared;
  bool double_q = false;             // van Hasselt et al., 2016
  double max_gradient_norm = 0;      // 0: never clipped
  bool centre_rewards = false;       // Naik et al., "Reward Centering", 2024
  double centring_rate = 0.001;      // of the running mean reward
  double max_abs_reward = 100;       // a reward beyond is clipped, one that is not finite refused
  std::size_t candidates_kept = 64;  // rows of the next state
};

struct AgentStatistics {
  std::uint64_t steps = 0;                // actions chosen while learning
  std::uint64_t updates = 0;              // of the weights
  std::uint64_t refused_updates = 0;      // would have made weights that are not finite
  std::uint64_t refused_transitions = 0;  // held numbers that are not finite
  double epsilon = 0;
  double loss = 0;  // of the last update
  double mean_reward = 0;
  std::size_t replay_size = 0;
};

// Not thread-safe. The weights are always finite: an update that would make others is thrown away
// and counted, and the last good ones stay.
class Agent {
 public:
  Agent(const QNetworkShape& shape, const AgentOptions& options, std::uint64_t seed);

  // Epsilon-greedy; counts one step. The observation must have a row, or `can_reject` be true.
  PolicyChoice Act(const Observation& observation, bool can_reject);
  // The best action, without exploring or counting.
  std::size_t ActGreedily(const Observation& observation, bool can_reject);

  // Makes a transition, keeping a sample of the next state's rows. `action` is that of `before`.
  Transition MakeTransition(const Observation& before, std::size_t action, double reward,
                            const Observation& after, bool after_can_reject, bool done);
  // False when the transition holds numbers that are not finite, or has the wrong shape.
  bool Remember(Transition transition);

  // One update from a sampled batch. Nothing before `learn_after` transitions; false when the
  // update was refused.
  std::optional<bool> Update();

  // The value that Update() would move this transition's action value to.
  double Target(const Transition& transition);

  const QNetwork& network() const { return online_; }
  // Starts from other weights (same shape, finite): both networks. False otherwise.
  bool SetParameters(std::span<const float> parameters);
  AgentStatistics statistics() const;

  // Everything that a restart needs: both networks, the optimizer's state, counters, the generator,
  // and the replay buffer. What does not fit (cut short, damaged, another shape) is an error, and
  // the agent stays as it was.
  std::string Save() const;
  Result<void> Restore(std::string_view bytes);

 private:
  bool IsUsable(const Transition& transition) const;
  double BestNext(const Transition& transition);

  AgentOptions options_;
  Rng rng_;
  QNetwork online_, target_;
  Optimizer optimizer_;
  ReplayBuffer replay_;
  AgentStatistics statistics_;
  std::optional<double> mean_reward_;
  QNetwork::Workspace workspace_;
  std::vector<float> values_, target_values_, gradient_;
};

}  // namespace leadline

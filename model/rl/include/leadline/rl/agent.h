// Deep Q-learning (Mnih et al., 2015) in its plain form, and options with a measured effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"
#include "leadline/nn/optimizer.h"
#include "leadline/nn/q_network.h"
#include "leadline/rl/policy.h"
#include "leadline/rl/replay_buffer.h"

namespace leadline {

struct AgentOptions {
  double gamma = 0.99;
  double learning_rate = 0.001;
  std::size_t batch = 32;
  std::size_t replay_capacity = 10'000;
  std::int64_t target_period = 100;  // updates between two copies into the target network
  EpsilonSchedule epsilon;
  // Options beyond the plain form.
  bool double_dqn = false;         // van Hasselt et al., 2016
  bool huber = false;              // loss linear beyond an error of 1
  double max_gradient_norm = 0.0;  // 0: not clipped
  bool reward_centring = false;    // Naik et al., 2024: subtracts the running mean reward
};

// Not thread-safe. The same seed and the same calls give the same weights bit for bit.
class Agent {
 public:
  Agent(QNetworkShape shape, AgentOptions options, std::uint64_t seed);

  // Epsilon-greedy over the allowed actions; counts a step.
  PolicyChoice Act(const AgentState& state);
  // The best allowed action, without exploring or counting.
  std::size_t Greedy(const AgentState& state);

  void Remember(Transition transition) { replay_.Add(std::move(transition)); }
  // One gradient step on a batch drawn from the replay buffer. An update whose inputs or results
  // are not finite is thrown away and counted: the weights stay as they were.
  struct UpdateResult {
    bool applied = false;
    double loss = 0;
  };
  UpdateResult Update();

  const QNetwork& network() const { return network_; }
  double epsilon() const { return options_.epsilon.At(steps_); }
  std::int64_t steps() const { return steps_; }
  std::int64_t updates() const { return updates_; }
  std::int64_t discarded_updates() const { return discarded_; }
  std::size_t replay_size() const { return replay_.size(); }
  double mean_reward() const { return mean_reward_; }

  // Weights, target, optimizer, counters, random state and replay, to go on exactly here after a
  // restart. Restore() refuses what is damaged or of another shape and then changes nothing.
  std::string SaveState() const;
  Result<void> RestoreState(const std::string& bytes);

 private:
  double Target(const Transition& transition);
  void Values(const QNetwork& network, const AgentState& state, std::vector<float>* values);

  AgentOptions options_;
  Rng rng_;
  QNetwork network_;
  QNetwork target_;
  Adam optimizer_;
  ReplayBuffer replay_;
  std::int64_t steps_ = 0;
  std::int64_t updates_ = 0;
  std::int64_t discarded_ = 0;
  double mean_reward_ = 0;
  QNetwork::Workspace workspace_;
};

}  // namespace leadline

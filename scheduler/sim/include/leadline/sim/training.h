// Makes weights in the memory cluster. docs/learning.md tells how well each method does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "leadline/base/result.h"
#include "leadline/nn/weights_file.h"
#include "leadline/rl/agent.h"
#include "leadline/rl/reward.h"
#include "leadline/sim/scenario.h"

namespace leadline {

struct RolloutOptions {
  std::size_t states = 8000;   // sampled in each round
  std::size_t rounds = 2;      // the second samples where the first round's network leads
  std::size_t candidates = 6;  // tried out in each state
  std::size_t horizon = 40;    // decisions that a trial is followed for
  double spread = 2.0;         // of the rule that decides them
  double trust = 0.5;          // in the trials, against the rule's own scores: 0 to 1
  std::size_t updates = 6000;  // of the weights, in each round
};

struct TrainOptions {
  std::string encoder = "rich";
  std::uint64_t seed = 1;
  ScenarioOptions scenarios;
  RewardConfig reward;
  // "rollouts": regression on what trying a candidate and following a rule brought, over the
  // other candidates on the same future. "dqn": the Agent, one update every `dqn_steps_an_update`.
  std::string method = "rollouts";
  RolloutOptions rollouts;
  AgentOptions agent;
  std::uint64_t dqn_steps = 60000;
  std::uint64_t dqn_steps_an_update = 4;
  // Told of progress in words.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Deterministic: the same options give the same weights. kInvalidArgument for bad options.
Result<WeightsFile> Train(const TrainOptions& options);

}  // namespace leadline

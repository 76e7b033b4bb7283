// The bytes of a saved agent: little-endian, with a checksum at the end.
#pragma once

#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"
#include "leadline/nn/optimizer.h"
#include "leadline/rl/replay_buffer.h"

namespace leadline {

struct AgentCheckpoint {
  std::vector<float> network, target;
  Adam::State optimizer;
  Rng::State rng{};
  std::int64_t steps = 0, updates = 0;
  double mean_reward = 0;
  std::vector<Transition> replay;
};

std::string Serialize(const AgentCheckpoint& checkpoint);
// kDataLoss for what is cut short or damaged.
Result<AgentCheckpoint> ParseCheckpoint(const std::string& bytes);

}  // namespace leadline

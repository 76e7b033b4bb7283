// What an agent acts in.
#pragma once

#include <cstdint>

#include "leadline/rl/replay_buffer.h"

namespace leadline {

struct StepResult {
  double reward = 0;
  bool done = false;       // the task ended: nothing follows
  bool truncated = false;  // only cut off (time limit)
};

// Not thread-safe. Deterministic for a seed.
class Environment {
 public:
  virtual ~Environment() = default;
  virtual void Reset(std::uint64_t seed) = 0;
  virtual const AgentState& Observe() const = 0;
  // `action` must be allowed by the state's mask.
  virtual StepResult Step(std::size_t action) = 0;
};

}  // namespace leadline

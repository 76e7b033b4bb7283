// What an agent acts on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leadline/features/observation.h"

namespace leadline {

// The result of one action. `done` and `truncated` differ: what follows a finished episode is worth
// nothing, a cut one would have gone on, and its last state keeps its value.
struct StepResult {
  double reward = 0;
  bool done = false;       // finished: nothing follows
  bool truncated = false;  // cut: time limit, end of the window
};

// Not thread-safe. Actions are 0 to n-1 for the rows of the observation, n to reject.
class Environment {
 public:
  virtual ~Environment() = default;
  // Starts an episode; the same seed gives the same episode for the same actions.
  virtual void Reset(std::uint64_t seed) = 0;
  // What there is to decide on now. Every row is a feasible action. Valid until Step() or Reset().
  // After a step that ended the episode: the state that it ended in.
  virtual const Observation& Observe() const = 0;
  // Whether the last action, rejecting, is allowed now.
  virtual bool CanReject() const = 0;
  virtual StepResult Step(std::size_t action) = 0;
};

}  // namespace leadline

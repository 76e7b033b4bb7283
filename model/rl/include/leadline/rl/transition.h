// One step of experience (REQUIREMENTS A4).
#pragma once

#include <cstddef>
#include <vector>

namespace leadline {

// The state is kept as what the network reads of it: the chosen node's row and the context. Of the
// next state up to Agent's `candidates_kept` rows of feasible nodes are kept, so that the size does
// not grow with the cluster.
struct Transition {
  std::vector<float> row;  // of the chosen node; empty: the action was to reject
  std::vector<float> context;
  double reward = 0;
  std::vector<float> next_rows;  // the feasible ones, row after row
  std::vector<float> next_context;
  bool next_can_reject = true;
  // True only when nothing follows (the episode finished). An episode that was merely cut (time
  // limit, end of the observation window) is not done: its next state still has a value.
  bool done = false;
};

}  // namespace leadline

// Transitions, and the ring that keeps the latest of them (REQUIREMENTS A4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leadline/base/rng.h"

namespace leadline {

// What the agent saw: `nodes` rows, the context, and which of the nodes + 1 actions were allowed
// (empty: all). A state whose candidates are many keeps the chosen row and a sample of the others.
struct AgentState {
  std::size_t nodes = 0;
  std::vector<float> rows;
  std::vector<float> context;
  std::vector<char> mask;
};

struct Transition {
  AgentState state;
  std::size_t action = 0;
  float reward = 0;
  AgentState next_state;
  // True: nothing follows, the future is worth 0. A time limit or a window that was only cut is
  // not an end: the next state's worth counts (Pardo et al., 2018).
  bool done = false;
};

// Not thread-safe.
class ReplayBuffer {
 public:
  explicit ReplayBuffer(std::size_t capacity = 10'000) : capacity_(capacity) {}

  void Add(Transition transition);  // the oldest falls out
  // Uniform, with replacement; not on an empty buffer.
  const Transition& Sample(Rng& rng) const;

  std::size_t size() const { return ring_.size(); }
  std::size_t capacity() const { return capacity_; }
  const std::vector<Transition>& items() const { return ring_; }

 private:
  std::size_t capacity_;
  std::size_t next_ = 0;
  std::vector<Transition> ring_;
};

}  // namespace leadline

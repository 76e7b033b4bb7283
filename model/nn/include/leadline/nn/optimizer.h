// Turns gradients into steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leadline {

// Adam (Kingma and Ba, 2015) on a flat parameter vector. Not thread-safe.
class Adam {
 public:
  struct State {
    std::int64_t steps = 0;
    std::vector<float> first, second;  // moments
  };

  explicit Adam(double learning_rate) : learning_rate_(learning_rate) {}

  // Moves `parameters` against `gradient`. False, and nothing changes, when a result would not be
  // finite.
  bool Step(std::span<const float> gradient, std::vector<float>* parameters);

  void set_learning_rate(double rate) { learning_rate_ = rate; }
  const State& state() const { return state_; }
  void set_state(State state) { state_ = std::move(state); }

 private:
  double learning_rate_;
  State state_;
};

// Scales the gradient down to at most this length; gives the length it had.
double ClipGradient(double max_norm, std::vector<float>* gradient);

}  // namespace leadline

// Turns gradients into steps.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace leadline {

enum class OptimizerKind {
  kSgd,   // plain stochastic gradient descent
  kAdam,  // Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015
};

// Moves one flat parameter vector. Not thread-safe.
class Optimizer {
 public:
  // All that a restart needs; the moments are empty before the first step, and always with kSgd.
  struct State {
    std::uint64_t steps = 0;
    std::vector<float> first, second;
  };

  // `learning_rate` > 0.
  Optimizer(OptimizerKind kind, double learning_rate)
      : kind_(kind), learning_rate_(learning_rate) {}

  // Moves `parameters` against `gradient` (of the same size). False, and nothing changes, when a
  // result would not be finite.
  bool Step(std::span<const float> gradient, std::vector<float>* parameters);

  void set_learning_rate(double rate) { learning_rate_ = rate; }
  const State& state() const { return state_; }
  void set_state(State state) { state_ = std::move(state); }

 private:
  bool AdamStep(std::span<const float> gradient, State* state, std::vector<float>* moved) const;

  OptimizerKind kind_;
  double learning_rate_;
  State state_;
};

// Scales the gradient down to at most this length; gives the length it had. A length that is not
// finite is left for Optimizer::Step() to refuse.
double ClipGradient(double max_norm, std::vector<float>* gradient);

}  // namespace leadline

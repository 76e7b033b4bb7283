// CartPole-v1: Barto, Sutton and Anderson, "Neuronlike Adaptive Elements That Can Solve Difficult
// Learning Control Problems", 1983, with the constants, bounds and 500-step limit of Gymnasium's
// v1.
#pragma once

#include <array>
#include <cmath>

#include "leadline/base/rng.h"
#include "leadline/rl/environment.h"

namespace leadline {

// The two pushes are the two "nodes": a row is the state and which push it is.
class CartPole : public Environment {
 public:
  static constexpr int kLimit = 500;

  void Reset(std::uint64_t seed) override {
    Rng rng(seed);
    for (double& value : state_) value = 0.1 * rng.Uniform() - 0.05;
    steps_ = 0;
    Write();
  }
  const Observation& Observe() const override { return seen_; }
  bool CanReject() const override { return false; }

  StepResult Step(std::size_t action) override {
    auto& [x, speed, angle, turning] = state_;
    const double force = action == 1 ? 10.0 : -10.0, cosine = std::cos(angle);
    const double push = (force + 0.05 * turning * turning * std::sin(angle)) / 1.1;
    const double turn =
        (9.8 * std::sin(angle) - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
    const double pull = push - 0.05 * turn * cosine / 1.1;
    x += 0.02 * speed;
    speed += 0.02 * pull;
    angle += 0.02 * turning;
    turning += 0.02 * turn;
    ++steps_;
    Write();
    const bool fell = std::abs(x) > 2.4 || std::abs(angle) > 12 * 2 * M_PI / 360;
    return {1.0, fell, !fell && steps_ >= kLimit};
  }

 private:
  void Write() {
    seen_.nodes = 2;
    seen_.width = 6;
    seen_.rows.clear();
    seen_.context.clear();
    for (double value : state_) seen_.context.push_back(static_cast<float>(value));
    for (float action : {0.0f, 1.0f}) {
      seen_.rows.insert(seen_.rows.end(), seen_.context.begin(), seen_.context.end());
      seen_.rows.push_back(1.0f - action);
      seen_.rows.push_back(action);
    }
  }

  std::array<double, 4> state_{};
  int steps_ = 0;
  Observation seen_;
};

}  // namespace leadline

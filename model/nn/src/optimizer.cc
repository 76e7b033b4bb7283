#include "leadline/nn/optimizer.h"

#include <algorithm>
#include <cmath>

namespace leadline {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

bool AllFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

bool Optimizer::Step(std::span<const float> gradient, std::vector<float>* parameters) {
  if (gradient.size() != parameters->size()) return false;
  State next = state_;
  ++next.steps;
  std::vector<float> moved = *parameters;
  if (kind_ == OptimizerKind::kAdam) {
    if (!AdamStep(gradient, &next, &moved)) return false;
  } else {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      moved[i] -= static_cast<float>(learning_rate_ * gradient[i]);
    }
  }
  if (!AllFinite(moved)) return false;
  state_ = std::move(next);
  *parameters = std::move(moved);
  return true;
}

bool Optimizer::AdamStep(std::span<const float> gradient, State* state,
                         std::vector<float>* moved) const {
  state->first.resize(gradient.size(), 0.0f);
  state->second.resize(gradient.size(), 0.0f);
  const double correct1 = 1.0 - std::pow(kBeta1, static_cast<double>(state->steps));
  const double correct2 = 1.0 - std::pow(kBeta2, static_cast<double>(state->steps));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double g = gradient[i];
    const double m = kBeta1 * state->first[i] + (1 - kBeta1) * g;
    const double v = kBeta2 * state->second[i] + (1 - kBeta2) * g * g;
    const double step = learning_rate_ * (m / correct1) / (std::sqrt(v / correct2) + kEpsilon);
    state->first[i] = static_cast<float>(m);
    state->second[i] = static_cast<float>(v);
    (*moved)[i] = static_cast<float>((*moved)[i] - step);
  }
  return AllFinite(state->first) && AllFinite(state->second);
}

double ClipGradient(double max_norm, std::vector<float>* gradient) {
  double squares = 0;
  for (float g : *gradient) squares += double{g} * g;
  const double norm = std::sqrt(squares);
  if (std::isfinite(norm) && norm > max_norm) {
    for (float& g : *gradient) g = static_cast<float>(g * (max_norm / norm));
  }
  return norm;
}

}  // namespace leadline

#include "leadline/nn/optimizer.h"

#include <cmath>

namespace leadline {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

}  // namespace

bool Adam::Step(std::span<const float> gradient, std::vector<float>* parameters) {
  State next = state_;
  next.first.resize(gradient.size(), 0.0f);
  next.second.resize(gradient.size(), 0.0f);
  ++next.steps;
  const double correct1 = 1.0 - std::pow(kBeta1, static_cast<double>(next.steps));
  const double correct2 = 1.0 - std::pow(kBeta2, static_cast<double>(next.steps));
  std::vector<float> moved = *parameters;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double g = gradient[i];
    const double m = kBeta1 * next.first[i] + (1 - kBeta1) * g;
    const double v = kBeta2 * next.second[i] + (1 - kBeta2) * g * g;
    const double step = learning_rate_ * (m / correct1) / (std::sqrt(v / correct2) + kEpsilon);
    next.first[i] = static_cast<float>(m);
    next.second[i] = static_cast<float>(v);
    moved[i] = static_cast<float>(moved[i] - step);
    if (!std::isfinite(moved[i]) || !std::isfinite(next.second[i])) return false;
  }
  state_ = std::move(next);
  *parameters = std::move(moved);
  return true;
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

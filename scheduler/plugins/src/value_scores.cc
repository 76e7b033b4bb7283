#include "value_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace leadline {
namespace {

constexpr std::int64_t kBest = 100;

}  // namespace

std::vector<std::int64_t> ScoresFromValues(std::span<const float> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, double{value});
    high = std::max(high, double{value});
  }
  std::vector<std::int64_t> scores(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    if (values[i] == high) {
      scores[i] = kBest;
    } else {
      const double part = (values[i] - low) / (high - low);
      scores[i] = std::min(static_cast<std::int64_t>(part * kBest), kBest - 1);
    }
  }
  return scores;
}

std::vector<std::int64_t> ScoresWithChoice(std::span<const float> values, std::size_t chosen) {
  std::vector<std::int64_t> scores = ScoresFromValues(values);
  for (std::int64_t& score : scores) score = std::min(score, kBest - 1);
  scores[chosen] = kBest;
  return scores;
}

}  // namespace leadline

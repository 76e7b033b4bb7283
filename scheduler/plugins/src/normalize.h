// k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper, DefaultNormalizeScore.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "leadline/framework/plugin.h"

namespace leadline {

// Scales scores from 0 on so that the highest is kMaxNodeScore; `reverse`: so that it is 0, and 0
// is kMaxNodeScore.
inline void NormalizeByHighest(bool reverse, std::span<std::int64_t> scores) {
  if (scores.empty()) return;
  const std::int64_t highest = *std::max_element(scores.begin(), scores.end());
  for (std::int64_t& score : scores) {
    const std::int64_t scaled = highest == 0 ? 0 : kMaxNodeScore * score / highest;
    score = reverse ? kMaxNodeScore - scaled : scaled;
  }
}

}  // namespace leadline

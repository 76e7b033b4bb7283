#include "leadline/features/three.h"

#include <algorithm>
#include <cmath>

namespace leadline {
namespace {

double Ratio(const std::optional<double>& value, double scale, double unknown) {
  if (!value || std::isnan(*value)) return unknown;
  return std::clamp(*value / scale, 0.0, 1.0);
}

}  // namespace

std::array<double, 3> EncodeThree(const std::optional<double>& cpu_ratio,
                                  const std::optional<double>& memory_ratio,
                                  const std::optional<double>& latency_ms,
                                  const ThreeDefaults& unknown) {
  return {Ratio(cpu_ratio, 1.0, unknown[0]), Ratio(memory_ratio, 1.0, unknown[1]),
          Ratio(latency_ms, 100.0, unknown[2])};
}

ThreeDefaults MeanOfKnown(std::span<const NodeState> nodes) {
  std::array<double, 3> sums{}, counts{};
  for (const NodeState& node : nodes) {
    // -1 marks what is missing: no clamped value is negative.
    const auto three =
        EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms, {-1.0, -1.0, -1.0});
    for (std::size_t i = 0; i < 3; ++i) {
      if (three[i] < 0) continue;
      sums[i] += three[i];
      counts[i] += 1;
    }
  }
  ThreeDefaults means = kNothingKnown;
  for (std::size_t i = 0; i < 3; ++i) {
    if (counts[i] > 0) means[i] = std::round(sums[i] / counts[i] * 100.0) / 100.0;
  }
  return means;
}

}  // namespace leadline

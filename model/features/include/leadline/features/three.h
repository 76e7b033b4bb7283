// The state of REQUIREMENTS A1, the contract of the decision logs.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "leadline/features/observation.h"

namespace leadline {

// What stands in for a missing value: used CPU ratio, used memory ratio, latency / 100 ms.
using ThreeDefaults = std::array<double, 3>;
inline constexpr ThreeDefaults kNothingKnown = {0.5, 0.5, 0.5};

// Used CPU ratio, used memory ratio, min(1, latency in ms / 100), each clamped to [0, 1]. A value
// that is missing or not a number becomes that of `unknown`.
std::array<double, 3> EncodeThree(const std::optional<double>& cpu_ratio,
                                  const std::optional<double>& memory_ratio,
                                  const std::optional<double>& latency_ms,
                                  const ThreeDefaults& unknown = kNothingKnown);

// The mean over the nodes of which a value is known, to the nearest hundredth; kNothingKnown's
// where none is. A node that nobody measured is then neither shunned nor sought. Rounded, so that a
// bind in a large cluster leaves it, and with it the rows of all other nodes, as they were.
ThreeDefaults MeanOfKnown(std::span<const NodeState> nodes);

}  // namespace leadline

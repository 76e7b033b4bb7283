// A score drawn over a utilization, as arguments of several plugins give it.
#pragma once

#include <cstdint>
#include <vector>

#include "leadline/yaml/document.h"

namespace leadline {

// UtilizationShapePoint of kubescheduler.config.k8s.io/v1.
struct ShapePoint {
  int utilization = 0;  // percent
  int score = 0;        // 0 to 10
};
// By growing utilization, at least one point; linear between two, level beyond the outermost.
using ScoreShape = std::vector<ShapePoint>;

// Mistakes go to the document.
ScoreShape ReadShape(const YamlNode& node);

// At `utilization` percent, in hundredths of the best.
std::int64_t ScoreAt(const ScoreShape& shape, std::int64_t utilization);

}  // namespace leadline

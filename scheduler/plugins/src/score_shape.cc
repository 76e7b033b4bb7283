#include "score_shape.h"

#include <algorithm>

namespace leadline {

ScoreShape ReadShape(const YamlNode& node) {
  ScoreShape shape;
  for (const YamlNode& item : node.Items()) {
    ShapePoint point;
    item.Get("utilization").Read(&point.utilization, 0, 100);
    item.Get("score").Read(&point.score, 0, 10);
    item.RejectUnknownKeys();
    if (!shape.empty() && point.utilization <= shape.back().utilization) {
      item.Get("utilization").Expected("more than the point before has");
    }
    shape.push_back(point);
  }
  if (shape.empty()) node.Expected("at least one point of utilization and score");
  return shape;
}

std::int64_t ScoreAt(const ScoreShape& shape, std::int64_t utilization) {
  constexpr int kScale = 10;  // shapes score from 0 to 10
  const auto next = std::find_if(shape.begin(), shape.end(), [&](const ShapePoint& point) {
    return utilization <= point.utilization;
  });
  if (next == shape.end()) return std::int64_t{shape.back().score} * kScale;
  if (next == shape.begin()) return std::int64_t{next->score} * kScale;
  const auto last = std::prev(next);
  const std::int64_t from = last->utilization, to = next->utilization;
  return last->score * kScale +
         std::int64_t{next->score - last->score} * kScale * (utilization - from) / (to - from);
}

}  // namespace leadline

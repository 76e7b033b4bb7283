#include "leadline/features/state_encoder.h"

#include <algorithm>

#include <fmt/format.h>

#include "encoders.h"
#include "scales.h"

namespace leadline {

const std::vector<std::string>& ThreeEncoder::FeatureNames() const {
  static const std::vector<std::string> names = {"cpu_ratio", "memory_ratio", "latency"};
  return names;
}

void ThreeEncoder::EncodeRow(const NodeState& node, const PodFeatures&, const ThreeDefaults& means,
                             float* row) const {
  const auto three = EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms, means);
  std::copy(three.begin(), three.end(), row);
}

void StateEncoder::Encode(std::span<const NodeState> nodes, const PodFeatures& pod,
                          Observation* out) const {
  const std::size_t columns = width();
  out->nodes = nodes.size();
  out->width = columns;
  out->rows.resize(nodes.size() * columns);
  out->context.assign(context_width(), 0.0f);
  float* const averages = out->context.data();
  float* const maxima = averages + columns;
  const ThreeDefaults means = MeanOfKnown(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    float* row = &out->rows[i * columns];
    EncodeRow(nodes[i], pod, means, row);
    for (std::size_t c = 0; c < columns; ++c) {
      averages[c] += row[c] / static_cast<float>(nodes.size());
      maxima[c] = std::max(maxima[c], row[c]);
    }
  }
  // Many roundings may carry a sum a little past 1.
  for (std::size_t c = 0; c < columns; ++c) averages[c] = std::min(averages[c], 1.0f);
  float* const rest = maxima + columns;
  rest[0] = static_cast<float>(LogCpu(pod.milli_cpu));
  rest[1] = static_cast<float>(LogMemory(pod.memory));
  rest[2] = static_cast<float>(LogNodes(static_cast<double>(nodes.size())));
}

Result<std::unique_ptr<StateEncoder>> MakeEncoder(std::string_view name) {
  if (name == "three") return std::unique_ptr<StateEncoder>(std::make_unique<ThreeEncoder>());
  if (name == "rich") return std::unique_ptr<StateEncoder>(std::make_unique<RichEncoder>());
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("unknown encoder \"{}\"; there are \"three\" and \"rich\"", name));
}

}  // namespace leadline

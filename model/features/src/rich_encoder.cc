#include <array>
#include <cmath>
#include <optional>

#include "encoders.h"
#include "scales.h"

namespace leadline {
namespace {

// What is not a number was not measured.
std::optional<double> Known(const std::optional<double>& value) {
  return value && std::isnan(*value) ? std::nullopt : value;
}

}  // namespace

const std::vector<std::string>& RichEncoder::FeatureNames() const {
  static const std::vector<std::string> names = {
      "cpu_ratio",  // the three values of REQUIREMENTS A1
      "memory_ratio",
      "latency",
      "latency_log",     // latency on a logarithmic scale, 10 us to 1 s
      "cpu_used_after",  // used ratio once the Pod runs there and uses what it asks for
      "memory_used_after",
      "used_gap_after",  // how far these two lie apart
      "cpu_above_mean",  // used after, against the mean of all: 0.5 is equal
      "memory_above_mean",
      "cpu_requested_after",  // requests / allocatable, the Pod included
      "memory_requested_after",
      "pod_cpu_share",  // the Pod's part of the node
      "pod_memory_share",
      "pods",        // Pods / allocatable Pods
      "node_cpu",    // size of the node on a logarithmic scale
      "unmeasured",  // share of the three measured values that is missing
  };
  return names;
}

void RichEncoder::EncodeRow(const NodeState& node, const PodFeatures& pod,
                            const ThreeDefaults& means, float* row) const {
  const auto [cpu, memory, latency] =
      EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms, means);
  const double pod_cpu = Share(pod.milli_cpu, node.allocatable_milli_cpu);
  const double pod_memory = Share(pod.memory, node.allocatable_memory);
  const double cpu_used = Clamp01(cpu + pod_cpu), memory_used = Clamp01(memory + pod_memory);
  const double cpu_requested =
      Share(node.requested_milli_cpu + pod.milli_cpu, node.allocatable_milli_cpu);
  const double memory_requested =
      Share(node.requested_memory + pod.memory, node.allocatable_memory);
  const auto latency_ms = Known(node.latency_ms);
  const int missing = !Known(node.cpu_ratio) + !Known(node.memory_ratio) + !latency_ms;
  const std::array<double, 16> values = {cpu,
                                         memory,
                                         latency,
                                         LogLatency(latency_ms.value_or(means[2] * 100.0)),
                                         cpu_used,
                                         memory_used,
                                         std::abs(cpu_used - memory_used),
                                         Clamp01(0.5 + cpu_used - means[0]),
                                         Clamp01(0.5 + memory_used - means[1]),
                                         cpu_requested,
                                         memory_requested,
                                         pod_cpu,
                                         pod_memory,
                                         Share(node.pods, node.allocatable_pods),
                                         LogCpu(node.allocatable_milli_cpu),
                                         missing / 3.0};
  std::copy(values.begin(), values.end(), row);
}

}  // namespace leadline

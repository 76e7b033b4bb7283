#include "leadline/features/state_encoder.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace leadline {
namespace {

double Clamp01(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0.5; }

double Share(double part, double whole) { return whole > 0 ? part / whole : 1.0; }

// A round trip between 10 us and 10 s on a scale from 0 to 1: differences inside a site count as
// much as those between continents.
double LogLatency(const std::optional<double>& milliseconds, double unknown) {
  if (!milliseconds) return unknown;
  return Clamp01(std::log10(std::max(*milliseconds, 0.01) / 0.01) / 6.0);
}

// The size of Pods on a scale from 0 to 1: 10 m to 100 cores, 1 MiB to 1 TiB.
double LogCpu(double milli) { return Clamp01(std::log10(std::max(milli, 10.0) / 10.0) / 4.0); }
double LogMemory(double bytes) {
  constexpr double kMi = 1024.0 * 1024.0;
  return Clamp01(std::log2(std::max(bytes, kMi) / kMi) / 20.0);
}

class Three : public StateEncoder {
 public:
  std::string_view Name() const override { return "three"; }
  const std::vector<std::string>& FeatureNames() const override {
    static const std::vector<std::string> names = {"cpu_ratio", "memory_ratio", "latency"};
    return names;
  }

 protected:
  void EncodeRow(const NodeFeatures& node, const PodFeatures&, const std::array<double, 3>& unknown,
                 float* row) const override {
    const auto three = EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms, unknown);
    std::copy(three.begin(), three.end(), row);
  }
};

class Rich : public StateEncoder {
 public:
  std::string_view Name() const override { return "rich"; }
  const std::vector<std::string>& FeatureNames() const override {
    static const std::vector<std::string> names = {
        "cpu_ratio",  // used, with what was placed since the sample
        "memory_ratio",
        "latency",         // min(1, ms / 100)
        "latency_log",     // the same on a logarithmic scale
        "cpu_used_after",  // used ratio once the Pod is there and uses what it asks for
        "memory_used_after",
        "used_gap_after",  // difference of the two
        "cpu_requested",   // requests / allocatable
        "memory_requested",
        "cpu_requested_after",
        "memory_requested_after",
        "requested_gap_after",
        "pods",           // Pods / allocatable Pods
        "node_cpu",       // size of the node, logarithmic
        "pod_cpu_share",  // the Pod's part of the node
        "unmeasured",     // share of the three measured values that is missing
    };
    return names;
  }

 protected:
  void EncodeRow(const NodeFeatures& node, const PodFeatures& pod,
                 const std::array<double, 3>& unknown, float* row) const override {
    const auto three = EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms, unknown);
    const double cpu_share = Share(pod.milli_cpu, node.allocatable_milli_cpu);
    const double memory_share = Share(pod.memory, node.allocatable_memory);
    const double cpu = Share(node.requested_milli_cpu, node.allocatable_milli_cpu);
    const double memory = Share(node.requested_memory, node.allocatable_memory);
    const double cpu_used = Clamp01(three[0] + cpu_share);
    const double memory_used = Clamp01(three[1] + memory_share);
    const double cpu_after = Clamp01(cpu + cpu_share),
                 memory_after = Clamp01(memory + memory_share);
    const int missing =
        (node.cpu_ratio ? 0 : 1) + (node.memory_ratio ? 0 : 1) + (node.latency_ms ? 0 : 1);
    const std::array<double, 16> values = {three[0],
                                           three[1],
                                           three[2],
                                           LogLatency(node.latency_ms, unknown[2]),
                                           cpu_used,
                                           memory_used,
                                           std::abs(cpu_used - memory_used),
                                           Clamp01(cpu),
                                           Clamp01(memory),
                                           cpu_after,
                                           memory_after,
                                           std::abs(cpu_after - memory_after),
                                           Clamp01(Share(node.pods, node.allocatable_pods)),
                                           LogCpu(node.allocatable_milli_cpu),
                                           Clamp01(cpu_share),
                                           missing / 3.0};
    std::transform(values.begin(), values.end(), row,
                   [](double value) { return static_cast<float>(value); });
  }
};

}  // namespace

std::array<double, 3> EncodeThree(const std::optional<double>& cpu_ratio,
                                  const std::optional<double>& memory_ratio,
                                  const std::optional<double>& latency_ms,
                                  const std::array<double, 3>& unknown) {
  return {cpu_ratio ? Clamp01(*cpu_ratio) : unknown[0],
          memory_ratio ? Clamp01(*memory_ratio) : unknown[1],
          latency_ms ? Clamp01(*latency_ms / 100.0) : unknown[2]};
}

std::array<double, 3> UnknownThree(std::span<const NodeFeatures> nodes) {
  std::array<double, 3> sums{}, counts{};
  for (const NodeFeatures& node : nodes) {
    const auto three = EncodeThree(node.cpu_ratio, node.memory_ratio, node.latency_ms);
    const std::array<bool, 3> known = {node.cpu_ratio.has_value(), node.memory_ratio.has_value(),
                                       node.latency_ms.has_value()};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!known[i]) continue;
      sums[i] += three[i];
      counts[i] += 1;
    }
  }
  std::array<double, 3> unknown{};
  for (std::size_t i = 0; i < 3; ++i) unknown[i] = counts[i] > 0 ? sums[i] / counts[i] : 0.5;
  return unknown;
}

void StateEncoder::Encode(std::span<const NodeFeatures> nodes, const PodFeatures& pod,
                          Observation* out) const {
  const std::size_t columns = width();
  out->nodes = nodes.size();
  out->width = columns;
  out->rows.resize(nodes.size() * columns);
  out->context.assign(context_width(), 0.0f);
  const auto unknown = UnknownThree(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    float* row = &out->rows[i * columns];
    EncodeRow(nodes[i], pod, unknown, row);
    for (std::size_t c = 0; c < columns; ++c) {
      out->context[c] += row[c] / static_cast<float>(nodes.size());
      out->context[columns + c] = std::max(out->context[columns + c], row[c]);
    }
  }
  out->context[2 * columns] = static_cast<float>(LogCpu(pod.milli_cpu));
  out->context[2 * columns + 1] = static_cast<float>(LogMemory(pod.memory));
}

Result<std::unique_ptr<StateEncoder>> MakeEncoder(std::string_view name) {
  if (name == "three") return std::unique_ptr<StateEncoder>(new Three());
  if (name == "rich") return std::unique_ptr<StateEncoder>(new Rich());
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("unknown encoder \"{}\"; there are \"three\" and \"rich\"", name));
}

}  // namespace leadline

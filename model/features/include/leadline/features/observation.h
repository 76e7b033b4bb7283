// What the policy sees of a node, a Pod and the cluster, as numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace leadline {

// One candidate node, with what it holds by requests and what was measured. A value that was not
// measured is empty; missing is not zero.
struct NodeFeatures {
  std::optional<double> cpu_ratio;  // used / capacity, 0 to 1
  std::optional<double> memory_ratio;
  std::optional<double> latency_ms;  // mean round trip to its peers
  double requested_milli_cpu = 0;    // of the Pods on it
  double allocatable_milli_cpu = 0;
  double requested_memory = 0;  // bytes
  double allocatable_memory = 0;
  double pods = 0;
  double allocatable_pods = 0;
};

// What the Pod to be placed asks for.
struct PodFeatures {
  double milli_cpu = 0;
  double memory = 0;  // bytes
};

// `nodes` rows of `width` values, row after row, and one context vector. Every value is finite.
struct Observation {
  std::size_t nodes = 0;
  std::size_t width = 0;
  std::vector<float> rows;
  std::vector<float> context;
};

// The state of REQUIREMENTS A1: used CPU ratio, used memory ratio, min(1, latency in ms / 100),
// each in [0, 1]. What is missing becomes `unknown`'s value.
std::array<double, 3> EncodeThree(const std::optional<double>& cpu_ratio,
                                  const std::optional<double>& memory_ratio,
                                  const std::optional<double>& latency_ms,
                                  const std::array<double, 3>& unknown = {0.5, 0.5, 0.5});

}  // namespace leadline

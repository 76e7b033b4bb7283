// What the policy sees of a node, a Pod and the cluster, as numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace leadline {

// One candidate node, with what it holds by requests and what was measured. A value that was not
// measured is empty; missing is not zero.
struct NodeState {
  std::optional<double> cpu_ratio;     // used / allocatable, with what was placed since the sample
  std::optional<double> memory_ratio;  // the same of memory
  std::optional<double> latency_ms;    // mean round trip to the other nodes
  double requested_milli_cpu = 0;      // of the Pods on it
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

// `nodes` rows of `width` values, row after row, and one context vector. Every value is finite and
// lies in [0, 1].
struct Observation {
  std::size_t nodes = 0;
  std::size_t width = 0;
  std::vector<float> rows;
  std::vector<float> context;
};

}  // namespace leadline

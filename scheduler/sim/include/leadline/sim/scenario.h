// One episode of the memory cluster, drawn in advance: the same for every policy that plays it, so
// that policies are compared in pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/base/rng.h"

namespace leadline {

struct SimNode {
  double milli_cpu = 0;  // allocatable
  double memory = 0;     // bytes
  double pods = 110;
  std::size_t zone = 0;
  double access_ms = 0;       // its own part of every round trip
  bool usage_known = true;    // its use is measured
  bool latency_known = true;  // its latency is measured
};

struct SimPod {
  double arrival_s = 0;
  double lifetime_s = 0;  // once it runs
  double milli_cpu = 0;   // requests
  double memory = 0;
  double used_milli_cpu = 0;  // what it really uses
  double used_memory = 0;
  double luck = 0;  // in [0, 1): decides whether an unreliable network fails it
};

struct Scenario {
  std::vector<SimNode> nodes;
  std::vector<std::vector<double>> zone_ms;  // round trip between zones when calm
  std::vector<SimPod> running;               // there at the start, ages drawn
  std::vector<std::size_t> running_on;       // node of each
  std::vector<SimPod> arrivals;              // by arrival time
  double scrape_s = 15;                      // use is sampled so often
  std::uint64_t seed = 0;                    // of what moves during the episode
};

// What scenarios are drawn from; every range is inclusive.
struct ScenarioOptions {
  std::size_t min_nodes = 5, max_nodes = 50;
  std::size_t max_zones = 4;
  double min_load = 0.3, max_load = 0.9;  // requested CPU / allocatable aimed at
  std::size_t max_arrivals = 150;
  double unmeasured_share = 0.1;  // of scenarios in which some nodes are not measured
};

// kInvalidArgument for ranges that are empty or out of bounds.
Result<void> CheckScenarioOptions(const ScenarioOptions& options);

// The options must be good ones.
Scenario DrawScenario(const ScenarioOptions& options, std::uint64_t seed);

// The acceptance run: 12 equal nodes in 3 zones, empty; 50 small Pods, then 20 large ones, none
// of which ends.
Scenario MakeDemoScenario(std::uint64_t seed);

}  // namespace leadline

#include "leadline/sim/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace leadline {
namespace {

TEST(ScenarioTest, KeepsToItsOptions) {
  const ScenarioOptions options;
  std::size_t smallest = 1000, largest = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Scenario scenario = DrawScenario(options, seed);
    smallest = std::min(smallest, scenario.nodes.size());
    largest = std::max(largest, scenario.nodes.size());
    EXPECT_LE(scenario.zone_ms.size(), options.max_zones);
    EXPECT_LE(scenario.arrivals.size(), options.max_arrivals);
    EXPECT_EQ(scenario.running.size(), scenario.running_on.size());
    EXPECT_TRUE(
        std::is_sorted(scenario.arrivals.begin(), scenario.arrivals.end(),
                       [](const SimPod& a, const SimPod& b) { return a.arrival_s < b.arrival_s; }));
  }
  EXPECT_GE(smallest, options.min_nodes);
  EXPECT_LE(smallest, 8u);
  EXPECT_LE(largest, options.max_nodes);
  EXPECT_GE(largest, 40u);
}

TEST(ScenarioTest, StartsWithNodesThatHoldWhatRunsOnThem) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Scenario scenario = DrawScenario({}, seed);
    std::vector<double> milli_cpu(scenario.nodes.size()), memory(scenario.nodes.size());
    for (std::size_t i = 0; i < scenario.running.size(); ++i) {
      milli_cpu[scenario.running_on[i]] += scenario.running[i].milli_cpu;
      memory[scenario.running_on[i]] += scenario.running[i].memory;
    }
    for (std::size_t i = 0; i < scenario.nodes.size(); ++i) {
      EXPECT_LE(milli_cpu[i], scenario.nodes[i].milli_cpu * (1 + 1e-9));
      EXPECT_LE(memory[i], scenario.nodes[i].memory * (1 + 1e-9));
    }
  }
}

TEST(ScenarioTest, DistanceIsTheSameBothWays) {
  const Scenario scenario = DrawScenario({.min_nodes = 20, .max_nodes = 20}, 3);
  for (std::size_t a = 0; a < scenario.zone_ms.size(); ++a) {
    for (std::size_t b = 0; b < scenario.zone_ms.size(); ++b) {
      EXPECT_EQ(scenario.zone_ms[a][b], scenario.zone_ms[b][a]);
      EXPECT_GE(scenario.zone_ms[a][b], scenario.zone_ms[a][a]);
    }
  }
}

TEST(ScenarioTest, RangesThatCannotBeAreRefused) {
  EXPECT_FALSE(CheckScenarioOptions({.min_nodes = 0}));
  EXPECT_FALSE(CheckScenarioOptions({.min_nodes = 9, .max_nodes = 8}));
  EXPECT_FALSE(CheckScenarioOptions({.max_zones = 0}));
  EXPECT_FALSE(CheckScenarioOptions({.min_load = 0.8, .max_load = 0.5}));
  EXPECT_TRUE(CheckScenarioOptions({}));
}

TEST(ScenarioTest, TheDemoIsFiftySmallAndTwentyLargePodsOnTwelveNodes) {
  const Scenario demo = MakeDemoScenario(1);
  EXPECT_EQ(demo.nodes.size(), 12u);
  EXPECT_EQ(demo.zone_ms.size(), 3u);
  EXPECT_EQ(std::count_if(demo.arrivals.begin(), demo.arrivals.end(),
                          [](const SimPod& pod) { return pod.milli_cpu == 100; }),
            50);
  EXPECT_EQ(demo.arrivals.size(), 70u);
}

}  // namespace
}  // namespace leadline

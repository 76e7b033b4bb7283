#include "leadline/sim/scenario.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace leadline {
namespace {

constexpr double kGi = 1024.0 * 1024.0 * 1024.0;
constexpr double kForever = 1e9;

double Between(Rng& rng, double low, double high) { return low + (high - low) * rng.Uniform(); }

double LogBetween(Rng& rng, double low, double high) {
  return std::exp(Between(rng, std::log(low), std::log(high)));
}

std::size_t Whole(Rng& rng, std::size_t low, std::size_t high) {
  return low + rng.Below(high - low + 1);
}

// Zones lie on a plane; between a site (a millisecond) and the world (200 ms).
std::vector<std::vector<double>> DrawZones(std::size_t count, Rng& rng) {
  const double scale = LogBetween(rng, 1.0, 200.0), inside = LogBetween(rng, 0.05, 1.0);
  std::vector<std::pair<double, double>> places(count);
  for (auto& [x, y] : places) x = rng.Uniform(), y = rng.Uniform();
  std::vector<std::vector<double>> ms(count, std::vector<double>(count, inside));
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      ms[a][b] += scale * std::hypot(places[a].first - places[b].first,
                                     places[a].second - places[b].second);
    }
  }
  return ms;
}

std::vector<SimNode> DrawNodes(std::size_t count, std::size_t zones, bool measured, Rng& rng) {
  // Half of the clusters have equal nodes.
  const bool equal = rng.Uniform() < 0.5;
  const double cores[] = {4, 8, 16, 32};
  const double common = cores[rng.Below(4)], gi_per_core = rng.Uniform() < 0.5 ? 4.0 : 8.0;
  std::vector<SimNode> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double size = equal ? common : cores[rng.Below(4)];
    nodes[i].milli_cpu = size * 1000;
    nodes[i].memory = size * gi_per_core * kGi;
    nodes[i].zone = i % zones;
    nodes[i].access_ms = 0.05 + 0.2 * rng.Exponential();
    nodes[i].usage_known = measured || rng.Uniform() < 0.8;
    nodes[i].latency_known = measured || rng.Uniform() < 0.8;
  }
  return nodes;
}

struct PodClass {
  double milli_cpu, memory, lifetime_s;
};

std::vector<PodClass> DrawClasses(bool ends, Rng& rng) {
  std::vector<PodClass> classes(Whole(rng, 1, 4));
  for (PodClass& one : classes) {
    one.milli_cpu = LogBetween(rng, 100, 3000);
    one.memory = one.milli_cpu / 1000 * LogBetween(rng, 1.0, 8.0) * kGi;
    one.lifetime_s = ends ? LogBetween(rng, 120, 1800) : kForever;
  }
  return classes;
}

SimPod DrawPod(const PodClass& one, Rng& rng) {
  SimPod pod;
  pod.milli_cpu = one.milli_cpu;
  pod.memory = one.memory;
  pod.lifetime_s = one.lifetime_s < kForever ? one.lifetime_s * rng.Exponential() : kForever;
  pod.used_milli_cpu = one.milli_cpu * Between(rng, 0.3, 1.2);
  pod.used_memory = one.memory * Between(rng, 0.5, 1.05);
  pod.luck = rng.Uniform();
  return pod;
}

// Fills the cluster up to `load` at random, as far as it fits.
void DrawRunning(const std::vector<PodClass>& classes, double load, Rng& rng, Scenario* scenario) {
  std::vector<double> milli_cpu, memory;
  double wanted = 0;
  for (const SimNode& node : scenario->nodes) {
    milli_cpu.push_back(node.milli_cpu), memory.push_back(node.memory);
    wanted += load * node.milli_cpu;
  }
  for (int misses = 0; wanted > 0 && misses < 20;) {
    const SimPod pod = DrawPod(classes[rng.Below(classes.size())], rng);
    const std::size_t at = rng.Below(milli_cpu.size());
    if (pod.milli_cpu > milli_cpu[at] || pod.memory > memory[at]) {
      ++misses;
      continue;
    }
    misses = 0;
    milli_cpu[at] -= pod.milli_cpu, memory[at] -= pod.memory, wanted -= pod.milli_cpu;
    scenario->running.push_back(pod);
    scenario->running_on.push_back(at);
  }
}

double TotalCpu(const Scenario& scenario) {
  double total = 0;
  for (const SimNode& node : scenario.nodes) total += node.milli_cpu;
  return total;
}

// Groups of equal Pods at random times, as fast as keeps the cluster at `load`; where Pods do not
// end, until the load is reached.
void DrawArrivals(const std::vector<PodClass>& classes, double load, bool ends, std::size_t most,
                  Rng& rng, Scenario* scenario) {
  const double total = TotalCpu(*scenario);
  double mean_work = 0, room = load * total, time = 1;
  for (const PodClass& one : classes) {
    mean_work += one.milli_cpu * one.lifetime_s / static_cast<double>(classes.size());
  }
  for (const SimPod& pod : scenario->running) room -= pod.milli_cpu;
  const double pods_per_s = ends ? load * total / mean_work : 0.5;
  const double mean_group = LogBetween(rng, 1.0, 12.0);
  while (scenario->arrivals.size() < most && (ends || room > 0)) {
    time += rng.Exponential() * mean_group / pods_per_s;
    const PodClass& one = classes[rng.Below(classes.size())];
    const auto group = static_cast<std::size_t>(1 + (mean_group - 1) * rng.Exponential());
    for (std::size_t i = 0; i < group && scenario->arrivals.size() < most; ++i) {
      SimPod pod = DrawPod(one, rng);
      pod.arrival_s = time += 0.02;
      room -= pod.milli_cpu;
      scenario->arrivals.push_back(pod);
    }
  }
}

}  // namespace

Result<void> CheckScenarioOptions(const ScenarioOptions& options) {
  const auto bad = [](std::string what) {
    return Error(ErrorCode::kInvalidArgument, std::move(what));
  };
  if (options.min_nodes < 1 || options.max_nodes < options.min_nodes) {
    return bad(fmt::format("{} to {} nodes: an empty range", options.min_nodes, options.max_nodes));
  }
  if (options.max_zones < 1 || options.max_arrivals < 1) return bad("no zone, or no Pod");
  if (!(options.min_load > 0) || !(options.max_load >= options.min_load) || options.max_load > 2) {
    return bad(
        fmt::format("load {} to {}: must lie in (0, 2]", options.min_load, options.max_load));
  }
  return {};
}

Scenario DrawScenario(const ScenarioOptions& options, std::uint64_t seed) {
  Rng rng(seed);
  Scenario scenario;
  const auto count = static_cast<std::size_t>(std::lround(LogBetween(
      rng, static_cast<double>(options.min_nodes), static_cast<double>(options.max_nodes))));
  const std::size_t zones = std::min(Whole(rng, 1, options.max_zones), count);
  const bool measured = rng.Uniform() >= options.unmeasured_share;
  scenario.zone_ms = DrawZones(zones, rng);
  scenario.nodes = DrawNodes(count, zones, measured, rng);
  const double load = Between(rng, options.min_load, options.max_load);
  const bool ends = rng.Uniform() < 0.6;
  const std::vector<PodClass> classes = DrawClasses(ends, rng);
  DrawRunning(classes, load * (ends ? 1.0 : Between(rng, 0.0, 0.7)), rng, &scenario);
  DrawArrivals(classes, load, ends, options.max_arrivals, rng, &scenario);
  scenario.scrape_s = rng.Uniform() < 0.8 ? 15 : 60;
  scenario.seed = rng.NextU64();
  return scenario;
}

Scenario MakeDemoScenario(std::uint64_t seed) {
  Rng rng(seed);
  Scenario scenario;
  scenario.zone_ms = {{0.5, 12, 80}, {12, 0.5, 90}, {80, 90, 0.5}};
  for (std::size_t i = 0; i < 12; ++i) {
    scenario.nodes.push_back({4000, 16 * kGi, 110, i % 3, 0.1 + 0.1 * rng.Uniform()});
  }
  const auto add = [&](std::size_t count, const PodClass& one, double start_s) {
    for (std::size_t i = 0; i < count; ++i) {
      SimPod pod = DrawPod(one, rng);
      pod.arrival_s = start_s + 0.05 * static_cast<double>(i);
      scenario.arrivals.push_back(pod);
    }
  };
  add(50, {100, 0.125 * kGi, kForever}, 1.0);
  add(20, {1000, 2 * kGi, kForever}, 30.0);
  scenario.seed = rng.NextU64();
  return scenario;
}

}  // namespace leadline

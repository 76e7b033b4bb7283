// The agent's families (docs/probing.md). At most `max_peers` peers, each with a histogram and two
// gauges; two gauges for the node as a whole, which the scheduler reads.
#pragma once

#include <string>

#include "leadline/exporter/registry.h"
#include "leadline/probe/agent.h"

namespace leadline {

class ProbeAgent::Metrics {
 public:
  Metrics(Registry& registry, std::string node, ProbeAgent& agent);

  void Observe(const std::string& peer, double seconds);
  // The peer is probed no longer: its series end.
  void Forget(const std::string& peer);

 private:
  void Update();
  void SetCounter(const char* result, std::uint64_t now);

  const std::string node_;
  ProbeAgent& agent_;
  HistogramFamily& rtt_;
  GaugeFamily& loss_;
  GaugeFamily& jitter_;
  GaugeFamily& node_rtt_;
  GaugeFamily& node_loss_;
  Gauge peers_;
  CounterFamily& packets_;
  std::map<std::string, std::uint64_t> told_;  // counters as last told
  Registry::ScrapeHook hook_;
};

}  // namespace leadline

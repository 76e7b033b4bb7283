// Metrics of the process itself, as every Prometheus client has them.
// https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
#pragma once

#include <string>
#include <string_view>

#include "leadline/exporter/registry.h"

namespace leadline {

// process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_open_fds, process_max_fds, process_start_time_seconds, read from /proc/self at every
// scrape. What cannot be read keeps its last value. The registry must outlive it.
class ProcessCollector {
 public:
  explicit ProcessCollector(Registry& registry);
  ProcessCollector(const ProcessCollector&) = delete;
  ProcessCollector& operator=(const ProcessCollector&) = delete;

 private:
  void Update();

  Counter cpu_seconds_;
  Gauge resident_bytes_;
  Gauge virtual_bytes_;
  Gauge open_fds_;
  Gauge max_fds_;
  Gauge start_time_seconds_;
  Registry::ScrapeHook hook_;  // last: ends before the rest goes
};

// Declares leadline_build_info{program, version, compiler} = 1.
void DeclareBuildInfo(Registry& registry, std::string_view program);

// The version of this build: "0.1.0".
std::string_view BuildVersion();

}  // namespace leadline

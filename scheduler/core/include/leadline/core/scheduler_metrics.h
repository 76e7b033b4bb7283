// kube-scheduler's own metric families, under its names, labels and buckets, so that the
// dashboards people have go on working (docs/metrics.md).
// https://kubernetes.io/docs/reference/instrumentation/metrics/
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "leadline/exporter/registry.h"
#include "leadline/framework/framework.h"

namespace leadline {

class Cache;
class SchedulingQueue;

// Thread-safe.
class SchedulerMetrics {
 public:
  explicit SchedulerMetrics(Registry& registry);
  ~SchedulerMetrics();

  // What the extension points and plugins of one profile did; lives as long as the metrics.
  FrameworkObserver* ObserverFor(const std::string& profile);

  // `result`: scheduled, unschedulable, deferred or error.
  void OnAttempt(const std::string& profile, std::string_view result, double seconds);
  void OnAlgorithm(double seconds);
  // What came of a Pod that Permit plugins held ("Success", "Unschedulable"), after how long.
  void OnPermitWait(std::string_view result, double seconds);
  // A Pod was bound after so many attempts, so long after its first one began.
  void OnBound(int attempts, double seconds);
  // Preemption was tried, and so many Pods have to leave for it.
  void OnPreemption(std::size_t victims);
  void OnQueueEnter(std::string_view queue, std::string_view event);

  // Reads the sizes of queue and cache at every scrape; both must outlive the metrics' use.
  void Watch(Registry& registry, const SchedulingQueue& queue, const Cache& cache);

 private:
  class PointObserver;

  CounterFamily& attempts_;
  HistogramFamily& attempt_duration_;
  Histogram algorithm_duration_;
  HistogramFamily& sli_duration_;
  Histogram pod_attempts_;
  HistogramFamily& permit_wait_;
  Counter preemption_attempts_;
  Histogram preemption_victims_;
  HistogramFamily& point_duration_;
  HistogramFamily& plugin_duration_;
  CounterFamily& evaluations_;
  CounterFamily& incoming_;
  GaugeFamily& pending_;
  GaugeFamily& unschedulable_;
  GaugeFamily& cache_size_;
  std::map<std::string, std::unique_ptr<PointObserver>> observers_;
  Registry::ScrapeHook hook_;
};

}  // namespace leadline

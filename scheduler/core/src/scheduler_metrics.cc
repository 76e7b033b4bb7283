#include "leadline/core/scheduler_metrics.h"

#include "leadline/cache/cache.h"
#include "leadline/exporter/buckets.h"
#include "leadline/queue/scheduling_queue.h"

namespace leadline {

class SchedulerMetrics::PointObserver : public FrameworkObserver {
 public:
  PointObserver(const SchedulerMetrics& metrics, std::string profile)
      : metrics_(metrics), profile_(std::move(profile)) {}

  void OnExtensionPoint(ExtensionPoint point, Status::Code code, double seconds) override {
    metrics_.point_duration_.With({ExtensionPointName(point), profile_, StatusCodeName(code)})
        .Observe(seconds);
  }
  void OnEvaluations(ExtensionPoint point, std::string_view plugin, std::size_t count) override {
    metrics_.evaluations_.With({ExtensionPointName(point), plugin, profile_})
        .Increment(static_cast<double>(count));
  }
  void OnPlugin(std::string_view step, std::string_view plugin, Status::Code code,
                double seconds) override {
    metrics_.plugin_duration_.With({step, plugin, StatusCodeName(code)}).Observe(seconds);
  }

 private:
  const SchedulerMetrics& metrics_;
  const std::string profile_;
};

SchedulerMetrics::SchedulerMetrics(Registry& registry)
    : attempts_(registry.DeclareCounter(
          {"scheduler_schedule_attempts_total",
           "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could "
           "not be scheduled, 'deferred' that the policy put it off, 'error' an internal problem.",
           {"profile", "result"}})),
      attempt_duration_(registry.DeclareHistogram(
          {"scheduler_scheduling_attempt_duration_seconds",
           "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
           {"profile", "result"}},
          buckets::SchedulingAttempt())),
      algorithm_duration_(registry.DeclarePlainHistogram(
          "scheduler_scheduling_algorithm_duration_seconds",
          "Scheduling algorithm latency in seconds", buckets::SchedulingAttempt())),
      sli_duration_(registry.DeclareHistogram(
          {"scheduler_pod_scheduling_sli_duration_seconds",
           "E2e latency for a pod being scheduled, from its first attempt",
           {"attempts"}},
          buckets::PodScheduling())),
      pod_attempts_(registry.DeclarePlainHistogram(
          "scheduler_pod_scheduling_attempts", "Number of attempts to successfully schedule a pod.",
          buckets::Attempts())),
      permit_wait_(registry.DeclareHistogram(
          {"scheduler_permit_wait_duration_seconds", "Duration of waiting on permit.", {"result"}},
          buckets::SchedulingAttempt())),
      preemption_attempts_(
          registry.DeclarePlainCounter("scheduler_preemption_attempts_total",
                                       "Total preemption attempts in the cluster till now")),
      preemption_victims_(registry.DeclarePlainHistogram(
          "scheduler_preemption_victims",
          "Number of selected preemption victims for preemption initiated by a single pod",
          buckets::PreemptionVictims())),
      point_duration_(registry.DeclareHistogram(
          {"scheduler_framework_extension_point_duration_seconds",
           "Latency for running all plugins of a specific extension point.",
           {"extension_point", "profile", "status"}},
          buckets::ExtensionPoint())),
      plugin_duration_(registry.DeclareHistogram(
          {"scheduler_plugin_execution_duration_seconds",
           "Duration for running a plugin at a specific extension point, in one cycle of ten.",
           {"extension_point", "plugin", "status"}},
          buckets::PluginExecution())),
      evaluations_(registry.DeclareCounter(
          {"scheduler_plugin_evaluation_total",
           "Number of attempts to schedule pods by each plugin and the extension point (available "
           "only in PreFilter, Filter, PreScore, and Score).",
           {"extension_point", "plugin", "profile"}})),
      incoming_(registry.DeclareCounter(
          {"scheduler_queue_incoming_pods_total",
           "Number of pods added to scheduling queues by event and queue type.",
           {"event", "queue"}})),
      pending_(registry.DeclareGauge(
          {"scheduler_pending_pods", "Number of pending pods, by the queue type.", {"queue"}})),
      unschedulable_(
          registry.DeclareGauge({"scheduler_unschedulable_pods",
                                 "The number of unschedulable pods broken down by plugin name.",
                                 {"plugin", "profile"}})),
      cache_size_(registry.DeclareGauge({"scheduler_cache_size",
                                         "Number of nodes, pods, and assumed (bound) pods in the "
                                         "scheduler cache.",
                                         {"type"}})) {}

SchedulerMetrics::~SchedulerMetrics() = default;

FrameworkObserver* SchedulerMetrics::ObserverFor(const std::string& profile) {
  auto& observer = observers_[profile];
  if (!observer) observer = std::make_unique<PointObserver>(*this, profile);
  return observer.get();
}

void SchedulerMetrics::OnAttempt(const std::string& profile, std::string_view result,
                                 double seconds) {
  attempts_.With({profile, result}).Increment();
  attempt_duration_.With({profile, result}).Observe(seconds);
}

void SchedulerMetrics::OnAlgorithm(double seconds) { algorithm_duration_.Observe(seconds); }

void SchedulerMetrics::OnPermitWait(std::string_view result, double seconds) {
  permit_wait_.With({result}).Observe(seconds);
}

void SchedulerMetrics::OnBound(int attempts, double seconds) {
  // As kube-scheduler: past 15 attempts one label for all.
  const std::string label = attempts >= 16 ? "16+" : std::to_string(attempts);
  sli_duration_.With({label}).Observe(seconds);
  pod_attempts_.Observe(attempts);
}

void SchedulerMetrics::OnPreemption(std::size_t victims) {
  preemption_attempts_.Increment();
  if (victims > 0) preemption_victims_.Observe(static_cast<double>(victims));
}

void SchedulerMetrics::OnQueueEnter(std::string_view queue, std::string_view event) {
  incoming_.With({event, queue}).Increment();
}

void SchedulerMetrics::Watch(Registry& registry, const SchedulingQueue& queue, const Cache& cache) {
  hook_ = registry.BeforeScrape([this, &queue, &cache] {
    const SchedulingQueue::Sizes sizes = queue.sizes();
    pending_.With({"active"}).Set(static_cast<double>(sizes.active));
    pending_.With({"backoff"}).Set(static_cast<double>(sizes.backoff));
    pending_.With({"gated"}).Set(static_cast<double>(sizes.gated));
    pending_.With({"unschedulable"}).Set(static_cast<double>(sizes.unschedulable));
    std::vector<std::pair<LabelValues, double>> turned_down;
    for (const auto& [who, count] : queue.UnschedulableByPlugin()) {
      turned_down.push_back({{who.first, who.second}, static_cast<double>(count)});
    }
    unschedulable_.ReplaceAll(turned_down);
    const Cache::Sizes books = cache.sizes();
    cache_size_.With({"nodes"}).Set(static_cast<double>(books.nodes));
    cache_size_.With({"pods"}).Set(static_cast<double>(books.pods));
    cache_size_.With({"assumed_pods"}).Set(static_cast<double>(books.assumed));
  });
}

}  // namespace leadline

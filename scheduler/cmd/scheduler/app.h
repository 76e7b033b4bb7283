// The scheduler's parts, put together. It makes them in the order of the data's way and takes
// them down in reverse.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "cluster_watch.h"
#include "flags.h"
#include "leadline/cache/cache.h"
#include "leadline/core/api_cluster_writer.h"
#include "leadline/core/scheduler.h"
#include "leadline/decisions/decision_log.h"
#include "leadline/exporter/process_collector.h"
#include "leadline/exporter/routes.h"
#include "leadline/extender/extender_server.h"
#include "leadline/http/server.h"
#include "leadline/kubernetes/leader_elector.h"
#include "leadline/learning/learning_metrics.h"
#include "leadline/learning/outcome_tracker.h"
#include "leadline/plugins/volume_binder.h"
#include "settings.h"
#include "usage.h"

namespace leadline {

class App {
 public:
  // `io` must outlive it. Nothing runs before Start().
  // `on_lost` is called on the io thread when another replica has become the leader.
  App(boost::asio::io_context& io, SchedulerFlags flags, Settings settings,
      std::function<void()> on_lost);
  ~App();

  // Makes the profiles and everything around them; the Error is a wrong configuration. Without
  // `client` (--check) nothing reaches an API server.
  Result<void> Assemble(std::optional<ClientConfig> client, const HttpServerOptions& http);
  // Listens, watches, and schedules once the cache is complete.
  Result<void> Start();
  // Not on the io thread, which must still run: bindings under way come to their end.
  void Stop();

 private:
  void MakeVolumeBinder();
  PluginRegistry Plugins(OutcomeTracker* outcomes);
  Result<Scheduler::Profiles> MakeProfiles(OutcomeTracker* outcomes);
  std::vector<DecisionObserver*> DecisionObservers();
  std::vector<OutcomeObserver*> OutcomeObservers();
  void MakeServer(const HttpServerOptions& http, Scheduler::Profiles extender_profiles);
  void OnSynced();
  void BeginToSchedule();
  void MakeClients(ClientConfig config);
  void MakeElector();
  void ReleaseLease();
  void Tick();
  void WatchLog();

  boost::asio::io_context& io_;
  const SchedulerFlags flags_;
  const Settings settings_;
  const std::function<void()> on_lost_;
  Registry registry_;
  ProcessCollector process_;
  SchedulerMetrics scheduler_metrics_;
  LearningMetrics learning_metrics_;
  Cache cache_;
  Listers listers_;
  std::unique_ptr<ApiClient> free_api_;     // for what no leader is needed; only with an elector
  std::unique_ptr<LeaderElector> elector_;  // none: a single replica
  std::unique_ptr<ApiClient> api_;          // writes nothing unless this replica leads
  std::unique_ptr<EventRecorder> events_;
  std::unique_ptr<ClusterWriter> writer_, extender_writer_;
  std::unique_ptr<VolumeWriter> volume_writer_;  // none in a dry run
  std::shared_ptr<VolumeBinder> volume_binder_;
  std::unique_ptr<MetricsPoller> poller_;
  UsageReader usage_{nullptr};
  std::unique_ptr<DecisionLog> log_;
  Registry::ScrapeHook log_hook_;
  std::unique_ptr<OutcomeTracker> outcomes_;
  Scheduler::Profiles profiles_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<ExtenderServer> extender_;
  std::unique_ptr<HttpServer> server_;
  HealthRoutes health_;
  std::unique_ptr<ClusterWatch> watch_;
  boost::asio::steady_timer tick_;
  std::atomic<bool> synced_{false};
};

}  // namespace leadline

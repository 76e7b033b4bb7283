// What lies behind MetricsPoller; private to the module.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "change_log.h"
#include "leadline/telemetry/metrics_poller.h"
#include "poll_schedule.h"
#include "signal_round.h"
#include "telemetry_metrics.h"

namespace leadline {

// Everything but the constructor and the members called by MetricsPoller runs on one strand, under
// run_mutex_, so that Stop() can wait for what is running.
class MetricsPoller::Impl : public std::enable_shared_from_this<MetricsPoller::Impl> {
 public:
  Impl(boost::asio::io_context& io, MetricsConfig config, NodeSource nodes, Registry& registry,
       const Clock& clock);

  void Start();
  void Stop();
  std::shared_ptr<const MetricsSnapshot> Snapshot() const;
  bool WaitForFirstRound(std::chrono::milliseconds limit) const;
  std::vector<SignalReport> Report() const;

 private:
  // The two queries of one signal, and when to ask them next.
  struct Poll {
    Poll(const boost::asio::strand<boost::asio::io_context::executor_type>& strand,
         const MetricsConfig& all, const SignalConfig& one, std::uint64_t seed)
        : config(one), timer(strand), schedule(all, seed) {}
    const SignalConfig config;
    boost::asio::steady_timer timer;
    PollSchedule schedule;
    SteadyTime asked{};
    std::optional<Result<QueryAnswer>> values;
    std::optional<Result<QueryAnswer>> timestamps;
    ChangeLog error_log;
    ChangeLog match_log;
    ChangeLog warning_log;
  };
  using Slot = std::optional<Result<QueryAnswer>> Poll::*;

  // Calls `step` unless the poller has gone or stopped.
  template <typename Step>
  static void RunIfAlive(const std::weak_ptr<Impl>& weak, Step step) {
    const auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock(self->run_mutex_);
    if (!self->stopped_) step(*self);
  }

  void Ask(Poll& poll);
  void Send(Poll& poll, const std::string& query, Slot slot);
  void OnAnswer(Poll& poll, Slot slot, Result<QueryAnswer> answer);
  void Finish(Poll& poll);
  // The next poll `delay` after the start of this one.
  void ScheduleNext(Poll& poll, Duration delay);
  void OnError(Poll& poll, const Error& error);
  void OnSuccess(Poll& poll);
  void LogWarnings(Poll& poll);
  void LogMatches(Poll& poll);

  // Puts a round into the store, drops nodes that are gone, publishes a new snapshot.
  void Merge(const Poll& poll, const NodeMatcher& matcher, const SignalRound& round);
  void EndRound(const Poll& poll, const std::string& error, const SignalRound* round);

  const MetricsConfig config_;
  const NodeSource node_source_;
  const Clock& clock_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  PrometheusClient client_;
  TelemetryMetrics metrics_;
  std::vector<std::unique_ptr<Poll>> polls_;
  MetricsSnapshot::Nodes store_;
  MetricsSnapshot::MaxAges max_ages_{};

  std::mutex run_mutex_;
  bool stopped_ = false;

  struct RoundFacts {
    bool finished = false;
    SignalReport report;
  };
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable first_round_;
  std::shared_ptr<const MetricsSnapshot> snapshot_;
  std::array<RoundFacts, kMetricSignals> facts_;

  Registry::ScrapeHook scrape_hook_;  // last: ends before what it uses goes
};

}  // namespace leadline

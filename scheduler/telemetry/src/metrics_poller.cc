#include "leadline/telemetry/metrics_poller.h"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <random>

#include "metrics_poller_impl.h"

namespace leadline {

MetricsPoller::Impl::Impl(boost::asio::io_context& io, MetricsConfig config, NodeSource nodes,
                          Registry& registry, const Clock& clock)
    : config_(std::move(config)),
      node_source_(std::move(nodes)),
      clock_(clock),
      strand_(boost::asio::make_strand(io)),
      client_(io, config_.prometheus),
      metrics_(registry) {
  std::random_device seed;
  for (const SignalConfig& signal : config_.signals) {
    polls_.push_back(std::make_unique<Poll>(strand_, config_, signal, seed()));
    max_ages_[static_cast<std::size_t>(signal.signal)] = signal.max_age;
    metrics_.SetUp(signal.signal, false);
  }
  snapshot_ = std::make_shared<MetricsSnapshot>(MetricsSnapshot::Nodes(), max_ages_);
  scrape_hook_ = registry.BeforeScrape(
      [this] { metrics_.Describe(*Snapshot(), config_, clock_.SteadyNow()); });
}

void MetricsPoller::Impl::Start() {
  boost::asio::post(strand_, [weak = weak_from_this()] {
    RunIfAlive(weak, [](Impl& self) {
      for (const auto& poll : self.polls_) self.Ask(*poll);
    });
  });
}

void MetricsPoller::Impl::Stop() {
  std::lock_guard lock(run_mutex_);
  if (stopped_) return;
  stopped_ = true;
  scrape_hook_.reset();
  boost::asio::post(strand_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    for (const auto& poll : self->polls_) poll->timer.cancel();
  });
}

// Ages must not look younger than they are: the time stamps are asked for first.
void MetricsPoller::Impl::Ask(Poll& poll) {
  poll.values.reset();
  poll.timestamps.reset();
  poll.asked = clock_.SteadyNow();
  Send(poll, poll.config.timestamp_query, &Poll::timestamps);
  Send(poll, poll.config.query, &Poll::values);
}

void MetricsPoller::Impl::Send(Poll& poll, const std::string& query, Slot slot) {
  // The answer is handed on by post(), and the callback holds no reference: the client must not
  // go in its own callback.
  const auto pass_on = [weak = weak_from_this(), strand = strand_, &poll,
                        slot](Result<QueryAnswer> answer) {
    boost::asio::post(strand, [weak, &poll, slot, answer = std::move(answer)]() mutable {
      RunIfAlive(weak, [&](Impl& self) { self.OnAnswer(poll, slot, std::move(answer)); });
    });
  };
  client_.InstantQuery(query, pass_on);
}

void MetricsPoller::Impl::OnAnswer(Poll& poll, Slot slot, Result<QueryAnswer> answer) {
  metrics_.CountAnswer(poll.config.signal, answer, clock_.SteadyNow() - poll.asked);
  poll.*slot = std::move(answer);
  if (poll.values && poll.timestamps) Finish(poll);
}

void MetricsPoller::Impl::Finish(Poll& poll) {
  if (!*poll.values) {
    OnError(poll, poll.values->error());
  } else if (!*poll.timestamps) {
    OnError(poll, poll.timestamps->error().WithContext("timestamp query"));
  } else {
    OnSuccess(poll);
  }
}

void MetricsPoller::Impl::ScheduleNext(Poll& poll, Duration delay) {
  const Duration taken = clock_.SteadyNow() - poll.asked;
  poll.timer.expires_after(std::max(delay - taken, Duration::zero()));
  poll.timer.async_wait([weak = weak_from_this(), &poll](const boost::system::error_code& error) {
    if (!error) RunIfAlive(weak, [&](Impl& self) { self.Ask(poll); });
  });
}

void MetricsPoller::Impl::OnError(Poll& poll, const Error& error) {
  const auto name = MetricSignalName(poll.config.signal);
  const Duration pause = poll.schedule.AfterError(error.code());
  metrics_.SetUp(poll.config.signal, false);
  if (poll.error_log.Changed(static_cast<int>(error.code()), error.message(), clock_.SteadyNow())) {
    spdlog::warn(
        "metrics: {}: {} ({}); last good values count until they are stale, next try in "
        "{:.1f} s",
        name, error.message(), ErrorCodeName(error.code()),
        std::chrono::duration<double>(pause).count());
  }
  EndRound(poll, error.message(), nullptr);
  ScheduleNext(poll, pause);
}

void MetricsPoller::Impl::OnSuccess(Poll& poll) {
  const NodeMatcher matcher(node_source_());
  const SignalRound round =
      JudgeAnswers(poll.config, **poll.values, **poll.timestamps, matcher, poll.asked);
  metrics_.SetUp(poll.config.signal, true);
  metrics_.CountRound(poll.config.signal, round);
  if (poll.error_log.Changed(-1, "", clock_.SteadyNow())) {
    spdlog::info("metrics: {}: answered, {} series", MetricSignalName(poll.config.signal),
                 (*poll.values)->samples.size());
  }
  LogWarnings(poll);
  Merge(poll, matcher, round);
  EndRound(poll, "", &round);
  LogMatches(poll);
  ScheduleNext(poll, poll.schedule.AfterSuccess());
}

void MetricsPoller::Impl::LogWarnings(Poll& poll) {
  const auto& warnings = (*poll.values)->warnings;
  const std::string first = warnings.empty() ? "" : warnings.front();
  const bool changed = poll.warning_log.Changed(first.empty() ? 0 : 1, first, clock_.SteadyNow());
  if (!changed || first.empty()) return;
  spdlog::warn("metrics: {}: Prometheus warns, the answer may be partial: {}",
               MetricSignalName(poll.config.signal), first);
}

void MetricsPoller::Impl::LogMatches(Poll& poll) {
  std::vector<SignalReport> reports = Report();
  std::erase_if(reports, [&](const auto& one) { return one.signal != poll.config.signal; });
  const SignalReport& report = reports.front();
  const bool clean = report.nodes_without.empty() && report.series_without_node == 0 &&
                     report.series_ambiguous == 0;
  const std::string text = FormatReport(reports);
  if (!poll.match_log.Changed(clean ? 0 : 1, text, clock_.SteadyNow())) return;
  spdlog::log(clean ? spdlog::level::info : spdlog::level::warn, "metrics: {}", text);
}

MetricsPoller::MetricsPoller(boost::asio::io_context& io, MetricsConfig config, NodeSource nodes,
                             Registry& registry, const Clock& clock)
    : impl_(std::make_shared<Impl>(io, std::move(config), std::move(nodes), registry, clock)) {}

MetricsPoller::~MetricsPoller() { impl_->Stop(); }

void MetricsPoller::Start() { impl_->Start(); }
void MetricsPoller::Stop() { impl_->Stop(); }
std::shared_ptr<const MetricsSnapshot> MetricsPoller::Snapshot() const { return impl_->Snapshot(); }
bool MetricsPoller::WaitForFirstRound(std::chrono::milliseconds limit) const {
  return impl_->WaitForFirstRound(limit);
}
std::vector<SignalReport> MetricsPoller::Report() const { return impl_->Report(); }

}  // namespace leadline

#include "once.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>

#include <fmt/format.h>

#include "leadline/base/exit_codes.h"

namespace leadline {
namespace {

void PrintPeer(const ProbeAgent::PeerReport& peer) {
  const RttSummary& s = peer.summary;
  const double loss = 100.0 * s.LossRatio().value_or(0);
  if (s.answered == 0) {
    fmt::print("{:<32} {:>7} {:>6.1f}% {:>10} {:>10} {:>10} {:>10}\n", peer.node, s.probes(), loss,
               "-", "-", "-", "-");
    return;
  }
  fmt::print("{:<32} {:>7} {:>6.1f}% {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", peer.node,
             s.probes(), loss, 1e3 * s.mean_seconds, 1e3 * s.p50_seconds, 1e3 * s.p99_seconds,
             1e3 * peer.jitter_seconds);
}

}  // namespace

int RunOnce(boost::asio::io_context& io, const AgentConfig& config, ProbeAgent& agent,
            const bool& interrupted) {
  boost::asio::steady_timer timer(io);
  // What is still under way when the rounds end has yet to be answered or lost.
  const auto last = std::chrono::milliseconds(config.timeout_ms) * (config.retry_times + 1);
  timer.expires_after(config.interval * 10);
  timer.async_wait([&](const boost::system::error_code&) {
    agent.StopRounds();
    timer.expires_after(last + std::chrono::milliseconds(50));
    timer.async_wait([&](const boost::system::error_code&) { io.stop(); });
  });
  io.run();
  agent.Stop();
  fmt::print("{:<32} {:>7} {:>7} {:>10} {:>10} {:>10} {:>10}\n", "PEER", "PROBES", "LOSS",
             "MEAN ms", "P50 ms", "P99 ms", "JITTER ms");
  const auto report = agent.Report();
  for (const auto& peer : report) PrintPeer(peer);
  if (interrupted) return kInterrupted;
  const auto answered = [](const auto& peer) { return peer.summary.answered > 0; };
  return std::any_of(report.begin(), report.end(), answered) ? 0 : kRanAndFailed;
}

}  // namespace leadline

#include "agent_metrics.h"

namespace leadline {
namespace {

// 50 us to 1.6 s: from one rack to the other side of the world.
const std::vector<double>& RttBuckets() {
  static const std::vector<double> buckets = {0.00005, 0.0001, 0.0002, 0.0005, 0.001,
                                              0.002,   0.005,  0.01,   0.02,   0.05,
                                              0.1,     0.2,    0.4,    0.8,    1.6};
  return buckets;
}

}  // namespace

ProbeAgent::Metrics::Metrics(Registry& registry, std::string node, ProbeAgent& agent)
    : node_(std::move(node)),
      agent_(agent),
      rtt_(registry.DeclareHistogram({"leadline_probe_rtt_seconds",
                                      "Round-trip times to a peer, the peer's own holding time "
                                      "taken off.",
                                      {"node", "peer"}},
                                     RttBuckets())),
      loss_(registry.DeclareGauge({"leadline_probe_loss_ratio",
                                   "Share of the packets to a peer within the window that got no "
                                   "answer in time.",
                                   {"node", "peer"}})),
      jitter_(registry.DeclareGauge({"leadline_probe_jitter_seconds",
                                     "Smoothed mean deviation of round trips to a peer (RFC 3550).",
                                     {"node", "peer"}})),
      node_rtt_(registry.DeclareGauge({"leadline_probe_node_rtt_seconds",
                                       "Mean over the peers of their mean round trip within the "
                                       "window; absent until something was measured.",
                                       {"node"}})),
      node_loss_(registry.DeclareGauge({"leadline_probe_node_loss_ratio",
                                        "Share of all packets within the window that got no answer "
                                        "in time; absent until a probe has ended.",
                                        {"node"}})),
      peers_(registry.DeclarePlainGauge("leadline_probe_peers", "Peers that are probed now.")),
      packets_(registry.DeclareCounter(
          {"leadline_probe_packets_total", "Probe packets by what became of them.", {"result"}})),
      hook_(registry.BeforeScrape([this] { Update(); })) {}

void ProbeAgent::Metrics::Observe(const std::string& peer, double seconds) {
  rtt_.With({node_, peer}).Observe(seconds);
}

void ProbeAgent::Metrics::Forget(const std::string& peer) { rtt_.Remove({node_, peer}); }

void ProbeAgent::Metrics::SetCounter(const char* result, std::uint64_t now) {
  std::uint64_t& told = told_[result];
  packets_.With({result}).Increment(static_cast<double>(now - told));
  told = now;
}

void ProbeAgent::Metrics::Update() {
  std::vector<std::pair<LabelValues, double>> loss, jitter, node_rtt, node_loss;
  double rtt_sum = 0;
  std::size_t measured = 0, lost = 0, probes = 0;
  const auto report = agent_.Report();
  for (const PeerReport& peer : report) {
    if (const auto ratio = peer.summary.LossRatio()) loss.push_back({{node_, peer.node}, *ratio});
    lost += peer.summary.lost;
    probes += peer.summary.probes();
    if (peer.summary.answered == 0) continue;
    jitter.push_back({{node_, peer.node}, peer.jitter_seconds});
    rtt_sum += peer.summary.mean_seconds;
    ++measured;
  }
  if (measured > 0) node_rtt.push_back({{node_}, rtt_sum / static_cast<double>(measured)});
  if (probes > 0) {
    node_loss.push_back({{node_}, static_cast<double>(lost) / static_cast<double>(probes)});
  }
  loss_.ReplaceAll(loss);
  jitter_.ReplaceAll(jitter);
  node_rtt_.ReplaceAll(node_rtt);
  node_loss_.ReplaceAll(node_loss);
  peers_.Set(static_cast<double>(report.size()));
  const ProbeCounts& counts = agent_.prober_.counts();
  SetCounter("sent", counts.sent);
  SetCounter("answered", counts.answered);
  SetCounter("lost", counts.lost);
  SetCounter("late", counts.late);
  SetCounter("duplicate", counts.duplicate);
  SetCounter("corrupt", counts.corrupt);
  SetCounter("stray", counts.stray);
  SetCounter("reordered", counts.reordered);
  SetCounter("send_error", counts.send_errors);
  SetCounter("clock_step", counts.clock_steps);
  SetCounter("userspace_stamp", counts.userspace_stamps);
  const EchoResponder::Counts& echo = agent_.responder_.counts();
  SetCounter("echo_answered", echo.answered);
  SetCounter("echo_refused", echo.refused);
  SetCounter("echo_error", echo.errors);
}

}  // namespace leadline

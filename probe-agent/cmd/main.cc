// leadline-probe-agent: assembles and runs; decides nothing.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "flags.h"
#include "leadline/exporter/process_collector.h"
#include "leadline/exporter/routes.h"
#include "leadline/http/server.h"
#include "leadline/kubernetes/api_client.h"
#include "leadline/probe/agent.h"

namespace leadline {
namespace {

constexpr int kRanAndFailed = 1, kWrongConfiguration = 2, kInterrupted = 130;

Result<AgentConfig> Configure(const AgentFlags& flags) {
  AgentConfig config;
  if (!flags.config.empty()) {
    Result<AgentConfig> loaded = LoadAgentConfig(flags.config);
    if (!loaded) return loaded.error();
    config = std::move(*loaded);
  }
  if (!flags.node.empty()) config.node = flags.node;
  if (config.node.empty()) config.node = DefaultNodeName();
  if (flags.peers.empty()) return config;
  config.peers.clear();
  config.peers_file.clear();
  config.dns_name.clear();
  config.from_kubernetes = false;
  for (const std::string& peer : flags.peers) {
    const auto endpoint = ParseEndpoint(peer);
    if (!endpoint) return endpoint.error().WithContext("--peers");
    config.peers.push_back({peer, *endpoint});
  }
  return config;
}

Result<std::unique_ptr<ApiClient>> ConnectToApi(boost::asio::io_context& io,
                                                const AgentConfig& config) {
  Result<ClientConfig> client =
      config.kubeconfig.empty() ? InClusterConfig() : LoadKubeconfig(config.kubeconfig);
  if (!client) return client.error();
  return std::make_unique<ApiClient>(io, std::move(*client));
}

std::unique_ptr<PeerSource> MakeSource(boost::asio::io_context& io, const AgentConfig& config,
                                       ApiClient* api) {
  constexpr std::chrono::seconds kFilePeriod{10}, kDnsPeriod{30};
  if (api != nullptr) {
    const std::string& space = config.kubernetes_namespace;
    return KubernetesPeers(io, *api, space.empty() ? api->default_namespace() : space,
                           config.kubernetes_selector, config.peer_port);
  }
  if (!config.peers_file.empty()) return FilePeers(io, config.peers_file, kFilePeriod);
  if (!config.dns_name.empty()) return DnsPeers(io, config.dns_name, config.peer_port, kDnsPeriod);
  return config.peers.empty() ? nullptr : FixedPeers(config.peers);
}

void PrintTable(ProbeAgent& agent) {
  fmt::print("{:<32} {:>7} {:>7} {:>10} {:>10} {:>10} {:>10}\n", "PEER", "PROBES", "LOSS",
             "MEAN ms", "P50 ms", "P99 ms", "JITTER ms");
  for (const auto& peer : agent.Report()) {
    const RttSummary& s = peer.summary;
    fmt::print("{:<32} {:>7} {:>6.1f}% {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f}\n", peer.node,
               s.probes(), 100.0 * s.LossRatio().value_or(0), 1e3 * s.mean_seconds,
               1e3 * s.p50_seconds, 1e3 * s.p99_seconds, 1e3 * peer.jitter_seconds);
  }
}

int Fail(int code, const Error& error) {
  fmt::print(stderr, "leadline-probe-agent: {}\n", error.message());
  return code;
}

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
  PrintTable(agent);
  if (interrupted) return kInterrupted;
  for (const auto& peer : agent.Report()) {
    if (peer.summary.answered > 0) return 0;
  }
  return kRanAndFailed;
}

int Run(const AgentFlags& flags) {
  Result<AgentConfig> config = Configure(flags);
  if (!config) return Fail(kWrongConfiguration, config.error());
  Result<HttpServerOptions> http = ParseHttpAddress(flags.http_address);
  if (!http) return Fail(kWrongConfiguration, http.error().WithContext("--http-address"));
  boost::asio::io_context io;
  std::unique_ptr<ApiClient> api;
  if (config->from_kubernetes) {
    auto connected = ConnectToApi(io, *config);
    if (!connected) return Fail(kWrongConfiguration, connected.error());
    api = std::move(*connected);
  }
  if (flags.check) return 0;

  Registry registry;
  ProcessCollector process(registry);
  ProbeAgent agent(io, *config, MakeSource(io, *config, api.get()), registry);
  if (!flags.samples.empty()) {
    if (auto opened = agent.WriteSamplesTo(flags.samples); !opened) {
      return Fail(kWrongConfiguration, opened.error().WithContext("--samples"));
    }
  }
  if (auto started = agent.Start(); !started) return Fail(kRanAndFailed, started.error());
  bool interrupted = false;
  boost::asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int signal) {
    if (error) return;
    interrupted = signal == SIGINT;
    io.stop();
  });
  if (flags.once) return RunOnce(io, *config, agent, interrupted);

  HttpServer server(io, *http);
  RegisterMetricsRoutes(server, registry);
  HealthRoutes health;
  health.Register(server);
  if (auto listening = server.Listen(); !listening) return Fail(kRanAndFailed, listening.error());
  spdlog::info("{} answers on UDP {}:{}, metrics on http://{}:{}/metrics", config->node,
               config->listen.address().to_string(), config->listen.port(), http->host,
               server.port());
  io.run();
  return interrupted ? kInterrupted : 0;
}

}  // namespace
}  // namespace leadline

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("leadline"));
  const auto parsed = leadline::ParseAgentFlags(argc, argv);
  return parsed.flags ? leadline::Run(*parsed.flags) : parsed.exit_code;
}

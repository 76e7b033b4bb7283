// leadline-probe-agent: assembles and runs; decides nothing.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "flags.h"
#include "leadline/base/exit_codes.h"
#include "leadline/exporter/process_collector.h"
#include "leadline/exporter/routes.h"
#include "leadline/http/server.h"
#include "leadline/kubernetes/api_client.h"
#include "leadline/probe/agent.h"
#include "once.h"

namespace leadline {
namespace {

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
    const auto endpoint = ParsePeerAddress(peer);
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

int Fail(int code, const Error& error) {
  fmt::print(stderr, "leadline-probe-agent: {}\n", error.message());
  return code;
}

std::string Where(const AgentConfig& config) {
  return fmt::format("{}:{}", config.listen ? config.listen->to_string() : "*", config.listen_port);
}

int Report(const AgentFlags& flags, const AgentConfig& config) {
  fmt::print("{}: good. Node {} answers on UDP {}; every {} ms it probes at most {} peers\n",
             flags.config.empty() ? "defaults" : flags.config, config.node, Where(config),
             std::chrono::duration<double, std::milli>(config.interval).count(), config.max_peers);
  return 0;
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
  if (flags.check) return Report(flags, *config);
  auto source = MakeSource(io, *config, api.get());
  if (flags.once && source == nullptr) {
    return Fail(kWrongConfiguration, Error(ErrorCode::kInvalidArgument,
                                           "--once: expected --peers, or a configuration "
                                           "that names peers"));
  }

  Registry registry;
  DeclareBuildInfo(registry, "leadline-probe-agent");
  ProcessCollector process(registry);
  ProbeAgent agent(io, *config, std::move(source), registry);
  if (!flags.samples.empty()) {
    if (auto opened = agent.WriteSamplesTo(flags.samples); !opened) {
      return Fail(kWrongConfiguration, opened.error().WithContext("--samples"));
    }
  }
  // With --once the agent that runs on this node already has the port.
  auto started = flags.once ? Result<void>() : agent.Answer();
  if (started) started = agent.Measure();
  if (!started) return Fail(kRanAndFailed, started.error());
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
  spdlog::info("{} answers on UDP {}, metrics on http://{}:{}/metrics", config->node,
               Where(*config), http->host, server.port());
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

#include "leadline/probe/agent_config.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "leadline/yaml/document.h"
#include "peers_yaml.h"

namespace leadline {
namespace {

// "ADDRESS:PORT"; ":PORT" and "[::]:PORT" stand for every address of both families, as people
// know it from Go's servers and from Linux's dual-stack sockets.
void ReadListen(const YamlNode& node, AgentConfig* config) {
  std::string text;
  if (!node.Read(&text)) return;
  const bool everywhere = text.starts_with(':');
  if (everywhere) text.insert(0, "0.0.0.0");
  const auto endpoint = ParsePeerAddress(text);
  if (!endpoint) return node.Expected("ADDRESS:PORT, or :PORT for every address of both families");
  config->listen_port = endpoint->port();
  const bool both = everywhere || endpoint->address() == boost::asio::ip::address_v6::any();
  if (!both) config->listen = endpoint->address();
}

void ReadPort(const YamlNode& node, std::uint16_t* out) {
  int port = *out;
  node.Read(&port, 1, 65535);
  *out = static_cast<std::uint16_t>(port);
}

void ReadSources(const YamlNode& root, const YamlDocument& document, AgentConfig* config) {
  config->peers = ReadPeerList(root.Get("peers"));
  const YamlNode peers_file = root.Get("peers_file");
  if (peers_file.Read(&config->peers_file)) {
    config->peers_file = document.ResolvePath(config->peers_file);
    if (auto peers = ReadPeersFile(config->peers_file); !peers) {
      peers_file.Mistake(peers.error().message());
    }
  }
  const YamlNode dns = root.Get("dns");
  if (dns.exists()) {
    dns.Get("name").Require(&config->dns_name);
    ReadPort(dns.Get("port"), &config->peer_port);
    dns.RejectUnknownKeys();
  }
  const YamlNode kubernetes = root.Get("kubernetes");
  if (kubernetes.exists()) {
    config->from_kubernetes = true;
    kubernetes.Get("namespace").Read(&config->kubernetes_namespace);
    kubernetes.Get("label_selector").Require(&config->kubernetes_selector);
    if (kubernetes.Get("kubeconfig").Read(&config->kubeconfig)) {
      config->kubeconfig = document.ResolvePath(config->kubeconfig);
    }
    ReadPort(kubernetes.Get("port"), &config->peer_port);
    kubernetes.RejectUnknownKeys();
  }
  const int sources = (config->peers.empty() ? 0 : 1) + (config->peers_file.empty() ? 0 : 1) +
                      (config->dns_name.empty() ? 0 : 1) + (config->from_kubernetes ? 1 : 0);
  if (sources > 1) root.Mistake("give one of peers, peers_file, dns and kubernetes, not several");
}

void ReadTimes(const YamlNode& root, AgentConfig* config) {
  using std::chrono::milliseconds;
  const YamlNode interval = root.Get("interval"), window = root.Get("window");
  interval.Read(&config->interval);
  if (config->interval < milliseconds(10) || config->interval > std::chrono::hours(1)) {
    interval.Expected("10ms to 1h");
  }
  root.Get("timeout_ms").Read(&config->timeout_ms, 1, 60000);
  root.Get("retry_times").Read(&config->retry_times, 0, 10);
  window.Read(&config->window);
  // With less, a peer's series would come and go between two probes.
  const auto least = 2 * config->interval + milliseconds(config->timeout_ms);
  if (config->window < least || config->window > std::chrono::hours(24)) {
    window.Expected("twice the interval and the time-out or more, at most 24h");
  }
}

}  // namespace

std::string DefaultNodeName() {
  if (const char* name = std::getenv("NODE_NAME"); name != nullptr && *name != '\0') return name;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

Result<AgentConfig> LoadAgentConfig(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  const YamlNode root = document->root();
  AgentConfig config;
  root.Get("node").Read(&config.node);
  ReadListen(root.Get("listen"), &config);
  ReadTimes(root, &config);
  root.Get("max_peers").Read(&config.max_peers, 1, 1000);
  ReadSources(root, *document, &config);
  root.RejectUnknownKeys();
  if (auto ok = document->Check(); !ok) return ok.error();
  return config;
}

}  // namespace leadline

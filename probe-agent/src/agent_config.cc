#include "leadline/probe/agent_config.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "leadline/yaml/document.h"

namespace leadline {
namespace {

void ReadEndpoint(const YamlNode& node, boost::asio::ip::udp::endpoint* out) {
  std::string text;
  if (!node.Read(&text)) return;
  const auto endpoint = ParseEndpoint(text);
  if (endpoint) {
    *out = *endpoint;
  } else {
    node.Mistake(endpoint.error().message());
  }
}

void ReadPort(const YamlNode& node, std::uint16_t* out) {
  int port = *out;
  node.Read(&port, 1, 65535);
  *out = static_cast<std::uint16_t>(port);
}

void ReadFixedPeers(const YamlNode& list, AgentConfig* config) {
  for (const YamlNode& item : list.Items()) {
    ProbePeer peer;
    item.Get("node").Require(&peer.node);
    if (!item.Get("address").exists()) item.Get("address").Expected("ADDRESS:PORT");
    ReadEndpoint(item.Get("address"), &peer.address);
    item.RejectUnknownKeys();
    config->peers.push_back(std::move(peer));
  }
}

void ReadSources(const YamlNode& root, const YamlDocument& document, AgentConfig* config) {
  ReadFixedPeers(root.Get("peers"), config);
  if (root.Get("peers_file").Read(&config->peers_file)) {
    config->peers_file = document.ResolvePath(config->peers_file);
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
  ReadEndpoint(root.Get("listen"), &config.listen);
  root.Get("interval").Read(&config.interval);
  if (config.interval < std::chrono::milliseconds(10))
    root.Get("interval").Expected("10ms or more");
  root.Get("timeout_ms").Read(&config.timeout_ms, 1, 60000);
  root.Get("retry_times").Read(&config.retry_times, 0, 10);
  root.Get("window").Read(&config.window);
  root.Get("max_peers").Read(&config.max_peers, 1, 1000);
  ReadSources(root, *document, &config);
  root.RejectUnknownKeys();
  if (auto ok = document->Check(); !ok) return ok.error();
  return config;
}

}  // namespace leadline

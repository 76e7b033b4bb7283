// What the agent does, from its configuration file (config/probe-agent.yaml) and flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/probe/peer.h"

namespace leadline {

struct AgentConfig {
  std::string node;                                // this node's name
  std::optional<boost::asio::ip::address> listen;  // empty: every address, IPv4 and IPv6
  std::uint16_t listen_port = kProbePort;          // 0 takes any
  std::chrono::nanoseconds interval{std::chrono::seconds(1)};
  int timeout_ms = 500;
  int retry_times = 1;
  std::chrono::nanoseconds window{std::chrono::seconds(60)};
  int max_peers = 16;

  // At most one source; none: the agent only answers.
  std::vector<ProbePeer> peers;
  std::string peers_file;
  std::string dns_name;
  bool from_kubernetes = false;
  std::string kubernetes_namespace;
  std::string kubernetes_selector;
  std::string kubeconfig;                // empty: the Pod's service account
  std::uint16_t peer_port = kProbePort;  // with dns and kubernetes
};

// kInvalidArgument with every mistake, each with file, line, key and expected form; a peers file is
// read as well.
Result<AgentConfig> LoadAgentConfig(const std::string& file);

// $NODE_NAME, else the host's name.
std::string DefaultNodeName();

}  // namespace leadline

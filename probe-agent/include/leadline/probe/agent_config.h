// What the agent does, from its configuration file (config/probe-agent.yaml) and flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "leadline/base/result.h"
#include "leadline/probe/peer_source.h"

namespace leadline {

struct AgentConfig {
  std::string node;  // this node's name
  boost::asio::ip::udp::endpoint listen{boost::asio::ip::udp::v4(), 7946};
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
  std::string kubeconfig;          // empty: the Pod's service account
  std::uint16_t peer_port = 7946;  // with dns and kubernetes
};

// kInvalidArgument with every mistake, each with file, line, key and expected form.
Result<AgentConfig> LoadAgentConfig(const std::string& file);

// $NODE_NAME, else the host's name.
std::string DefaultNodeName();

}  // namespace leadline

// Where the agent's peers come from: a fixed list, a file, a DNS name, or the API server.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leadline/probe/peer.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

class ApiClient;

// Lives on one io_context.
class PeerSource {
 public:
  // All peers that there are now, the agent itself perhaps among them. Called on the io_context.
  using OnPeers = std::function<void(std::vector<ProbePeer>)>;
  virtual ~PeerSource() = default;
  virtual void Start(OnPeers on_peers) = 0;
};

std::unique_ptr<PeerSource> FixedPeers(std::vector<ProbePeer> peers);

// A peers file (peer.h), read again every `period`. One that cannot be read, or is wrong, is told
// in the log and leaves the peers as they were.
std::unique_ptr<PeerSource> FilePeers(boost::asio::io_context& io, std::string file,
                                      std::chrono::nanoseconds period);

// Every address of a name (a headless Service), resolved again every `period`, each under its
// address as its name. A name that cannot be resolved leaves the peers as they were.
std::unique_ptr<PeerSource> DnsPeers(boost::asio::io_context& io, std::string name,
                                     std::uint16_t port, std::chrono::nanoseconds period);

// The DaemonSet's Pods, by namespace and label selector, under the names of their nodes: those
// that are Ready and not about to go, since nobody else can be expected to answer. `api` must
// outlive it.
std::unique_ptr<PeerSource> KubernetesPeers(boost::asio::io_context& io, ApiClient& api,
                                            const std::string& namespace_name,
                                            const std::string& label_selector, std::uint16_t port);

}  // namespace leadline

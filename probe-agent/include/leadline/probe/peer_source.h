// Where the agent's peers come from: a fixed list, a file, a DNS name, or the API server.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

class ApiClient;

struct ProbePeer {
  std::string node;  // the node's name, or the address where no name is known
  boost::asio::ip::udp::endpoint address;
};

// "10.0.0.1:7946", "[fd00::1]:7946"; kInvalidArgument saying what is expected.
Result<boost::asio::ip::udp::endpoint> ParseEndpoint(std::string_view text);

// Lives on one io_context.
class PeerSource {
 public:
  // All peers that there are now, the agent itself perhaps among them.
  using OnPeers = std::function<void(std::vector<ProbePeer>)>;
  virtual ~PeerSource() = default;
  virtual void Start(OnPeers on_peers) = 0;
};

std::unique_ptr<PeerSource> FixedPeers(std::vector<ProbePeer> peers);

// A YAML list of {node, address}, read again every `period`. A file that cannot be read, or is
// wrong, is told in the log and leaves the peers as they were.
std::unique_ptr<PeerSource> FilePeers(boost::asio::io_context& io, std::string file,
                                      std::chrono::nanoseconds period);
Result<std::vector<ProbePeer>> ReadPeersFile(const std::string& file);

// Every address of a name (a headless Service), resolved again every `period`.
std::unique_ptr<PeerSource> DnsPeers(boost::asio::io_context& io, std::string name,
                                     std::uint16_t port, std::chrono::nanoseconds period);

// The DaemonSet's Pods, by namespace and label selector; those that have an address and are not
// finished, under the name of their node. `api` must outlive it.
std::unique_ptr<PeerSource> KubernetesPeers(boost::asio::io_context& io, ApiClient& api,
                                            const std::string& namespace_name,
                                            const std::string& label_selector, std::uint16_t port);

// At most `most` of the peers, the same ones as long as they are there: rendezvous hashing
// (Thaler and Ravishankar, 1998), so that one coming or going moves few others. Leaves out `self`.
std::vector<ProbePeer> ChoosePeers(std::vector<ProbePeer> peers, const std::string& self,
                                   std::size_t most);

}  // namespace leadline

// Peers: who they are, how they are written down, and which of many to probe.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

inline constexpr std::uint16_t kProbePort = 7946;

struct ProbePeer {
  std::string node;  // the node's name, or the address where no name is known
  boost::asio::ip::udp::endpoint address;
};

// "10.0.0.1:7946", "10.0.0.1", "[fd00::1]:7946", "fd00::1"; without a port it is kProbePort.
// kInvalidArgument saying what is expected; port 0 is none.
Result<boost::asio::ip::udp::endpoint> ParsePeerAddress(std::string_view text);

// A YAML list of {node, address}. kInvalidArgument with every mistake, among them a node that is
// there twice, each with `file`, line and key.
Result<std::vector<ProbePeer>> ParsePeers(std::string_view yaml, std::string file);
Result<std::vector<ProbePeer>> ReadPeersFile(const std::string& file);

// At most `most` of the peers, the same ones as long as they are there: rendezvous hashing
// (Thaler and Ravishankar, 1998), so that one coming or going moves few others. Leaves out `self`;
// of two under one name only the lower address counts.
std::vector<ProbePeer> ChoosePeers(std::vector<ProbePeer> peers, const std::string& self,
                                   std::size_t most);

}  // namespace leadline

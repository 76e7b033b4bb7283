#include <algorithm>
#include <tuple>

#include "leadline/probe/peer.h"

namespace leadline {
namespace {

// FNV-1a, then a finalizer, since near names must lie far apart.
std::uint64_t HashOf(std::string_view a, std::string_view b) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&](std::string_view text) {
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  };
  mix(a);
  mix(std::string_view("\0", 1));
  mix(b);
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

}  // namespace

std::vector<ProbePeer> ChoosePeers(std::vector<ProbePeer> peers, const std::string& self,
                                   std::size_t most) {
  std::erase_if(peers, [&](const ProbePeer& peer) { return peer.node == self; });
  std::sort(peers.begin(), peers.end(), [&](const ProbePeer& a, const ProbePeer& b) {
    const std::uint64_t x = HashOf(self, a.node), y = HashOf(self, b.node);
    return x != y ? x > y : std::tie(a.node, a.address) < std::tie(b.node, b.address);
  });
  const auto same_node = [](const ProbePeer& a, const ProbePeer& b) { return a.node == b.node; };
  peers.erase(std::unique(peers.begin(), peers.end(), same_node), peers.end());
  if (peers.size() > most) peers.resize(most);
  return peers;
}

}  // namespace leadline

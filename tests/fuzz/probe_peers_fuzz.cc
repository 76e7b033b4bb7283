#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "leadline/probe/peer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Whatever was understood can be sent to.
  if (const auto address = leadline::ParsePeerAddress(text)) {
    if (address->port() == 0) std::abort();
  }
  const auto peers = leadline::ParsePeers(text, "peers.yaml");
  if (!peers) return 0;
  for (const leadline::ProbePeer& peer : *peers) {
    if (peer.node.empty() || peer.address.port() == 0) std::abort();
  }
  return 0;
}

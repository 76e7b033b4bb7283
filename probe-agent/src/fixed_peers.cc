#include "leadline/probe/peer_source.h"

namespace leadline {
namespace {

class Fixed : public PeerSource {
 public:
  explicit Fixed(std::vector<ProbePeer> peers) : peers_(std::move(peers)) {}
  void Start(OnPeers on_peers) override { on_peers(peers_); }

 private:
  const std::vector<ProbePeer> peers_;
};

}  // namespace

std::unique_ptr<PeerSource> FixedPeers(std::vector<ProbePeer> peers) {
  return std::make_unique<Fixed>(std::move(peers));
}

}  // namespace leadline

#include "periodic_peers.h"

#include <spdlog/spdlog.h>

namespace leadline {

void PeriodicPeers::Start(OnPeers on_peers) {
  on_peers_ = std::move(on_peers);
  Tick();
}

void PeriodicPeers::Tick() {
  Look();
  timer_.expires_after(period_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Tick();
  });
}

void PeriodicPeers::Found(std::vector<ProbePeer> peers) {
  said_.clear();
  on_peers_(std::move(peers));
}

void PeriodicPeers::Failed(const std::string& why) {
  if (said_ != why) spdlog::warn("peers stay as they are: {}", why);
  said_ = why;
}

}  // namespace leadline

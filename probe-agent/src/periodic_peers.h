// What the sources that look again and again have in common.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <string>

#include "leadline/probe/peer_source.h"

namespace leadline {

// Looks at once and then every period.
class PeriodicPeers : public PeerSource {
 public:
  PeriodicPeers(boost::asio::io_context& io, std::chrono::nanoseconds period)
      : timer_(io), period_(period) {}

  void Start(OnPeers on_peers) override;

 protected:
  // Ends, now or later, in Found() or Failed().
  virtual void Look() = 0;
  void Found(std::vector<ProbePeer> peers);
  // Says it in the log, but not again and again.
  void Failed(const std::string& why);

 private:
  void Tick();

  boost::asio::steady_timer timer_;
  const std::chrono::nanoseconds period_;
  OnPeers on_peers_;
  std::string said_;
};

}  // namespace leadline

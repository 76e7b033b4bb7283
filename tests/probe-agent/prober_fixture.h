// A prober on loopback, and what it told.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leadline/probe/prober.h"
#include "probe-agent/loopback.h"

namespace leadline {

class ProberTest : public ::testing::Test {
 protected:
  struct Probing {
    Probing(boost::asio::io_context& io, const ProberOptions& options, std::uint64_t seed = 1)
        : prober(
              io, options, seed, [this](const ProbeSample& sample) { samples.push_back(sample); },
              [this](const std::string& peer) { ++losses[peer]; }) {
      const auto opened = prober.Open();
      EXPECT_TRUE(opened) << opened.error().message();
    }
    const ProbeCounts& counts() const { return prober.counts(); }

    std::vector<ProbeSample> samples;
    std::map<std::string, int> losses;
    Prober prober;
  };

  // Quick rounds, and a time-out that no busy machine reaches.
  static ProberOptions Patient() {
    return {std::chrono::milliseconds(1), std::chrono::seconds(30), 0};
  }
  // For packets that are to get lost.
  static ProberOptions Impatient() {
    return {std::chrono::milliseconds(1), std::chrono::milliseconds(20), 0};
  }

  // Lets the prober send so many packets to `address`, and no more.
  void SendProbes(Probing& probing, const loopback::udp::endpoint& address, std::uint64_t count) {
    probing.prober.SetPeer("peer", address);
    loopback::RunUntil(io_, [&] { return probing.counts().sent == count; });
    probing.prober.RemovePeer("peer");
  }

  boost::asio::io_context io_;
};

}  // namespace leadline

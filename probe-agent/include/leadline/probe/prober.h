// Sends probes to peers and tells what came of each.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "leadline/base/clock.h"
#include "leadline/base/rng.h"
#include "leadline/probe/packet.h"
#include "leadline/probe/stamped_socket.h"

namespace leadline {

struct ProberOptions {
  std::chrono::nanoseconds interval{std::chrono::seconds(1)};        // between two rounds of a peer
  std::chrono::nanoseconds timeout{std::chrono::milliseconds(500)};  // of one packet
  int retries = 1;  // further packets in a round whose first was lost
};

struct ProbeSample {
  std::string peer;
  std::uint64_t token = 0;
  std::chrono::nanoseconds rtt{0};
  bool kernel_stamps = false;  // both ends of the interval were stamped by the kernel
};

// What became of packets. Everything is counted once; only `answered` gives a sample.
struct ProbeCounts {
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t lost = 0;         // no answer within the time-out
  std::uint64_t late = 0;         // answered after it; its packet stays lost
  std::uint64_t duplicate = 0;    // a second answer to the same packet
  std::uint64_t corrupt = 0;      // not a packet of ours, or altered
  std::uint64_t stray = 0;        // a reply that nobody here asked for, or from another address
  std::uint64_t reordered = 0;    // answered after a packet that was sent later
  std::uint64_t send_errors = 0;  // refused by our own stack; not in `sent`
  std::uint64_t clock_steps = 0;  // dropped: a clock, ours or the peer's, was set meanwhile
  std::uint64_t userspace_stamps = 0;  // samples without kernel stamps
};

// Lives on one io_context; not thread-safe. Peers' rounds are spread by a random phase and a
// jitter of a tenth of the interval, so that agents do not fall into step.
class Prober {
 public:
  using OnSample = std::function<void(const ProbeSample&)>;
  using OnLoss = std::function<void(const std::string& peer)>;

  Prober(boost::asio::io_context& io, ProberOptions options, std::uint64_t seed, OnSample on_sample,
         OnLoss on_loss, const Clock& clock = Clock::Real());
  ~Prober();

  // Opens the sockets; IPv6 is optional on a machine without it.
  Result<void> Open();
  void SetPeer(const std::string& peer, const boost::asio::ip::udp::endpoint& address);
  void RemovePeer(const std::string& peer);
  // Begins no further round; those under way come to their end.
  void StopRounds();
  void Close();

  const ProbeCounts& counts() const { return counts_; }

 private:
  struct Peer;
  struct Sent;

  void ScheduleRound(Peer& peer, std::chrono::nanoseconds in);
  void SendProbe(Peer& peer, int retries_left);
  void OnTimeout(std::uint32_t sequence);
  void OnPacket(StampedSocket& socket, const ReceivedPacket& packet);
  void Accept(StampedSocket& socket, Sent& sent, const ReceivedPacket& packet,
              const ProbePacket& reply);
  void NoteOrder(const std::string& peer, std::uint32_t sequence);
  void Forget(std::uint32_t sequence);
  StampedSocket& SocketFor(const boost::asio::ip::udp::endpoint& address);

  boost::asio::io_context& io_;
  const ProberOptions options_;
  Rng rng_;
  OnSample on_sample_;
  OnLoss on_loss_;
  const Clock& clock_;
  StampedSocket v4_;
  StampedSocket v6_;
  bool has_v6_ = false;
  std::uint32_t sender_;
  std::uint32_t next_sequence_ = 0;
  std::unordered_map<std::string, std::unique_ptr<Peer>> peers_;
  // Packets under way and those that ended lately, by sequence.
  std::unordered_map<std::uint32_t, std::unique_ptr<Sent>> sent_;
  ProbeCounts counts_;
};

}  // namespace leadline

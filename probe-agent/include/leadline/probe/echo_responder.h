// Answers probe requests, and nothing else.
#pragma once

#include <cstdint>

#include "leadline/probe/packet.h"
#include "leadline/probe/stamped_socket.h"

namespace leadline {

// A request of 32 bytes is answered by a reply of 32 bytes to where it came from: never more than
// was received, and never to a reply, so that two responders cannot keep each other busy. The
// reply leaves from the address that was asked, on a machine with several. What was sent to a
// broadcast or multicast address is not answered.
// Not thread-safe; lives on one io_context.
class EchoResponder {
 public:
  explicit EchoResponder(boost::asio::io_context& io) : v4_(io, false), v6_(io, false) {}

  // kUnavailable with the address when it cannot be had.
  Result<void> Listen(const boost::asio::ip::udp::endpoint& local);
  // On every address, IPv4 and, where the machine speaks it, IPv6; port 0 takes any.
  Result<void> ListenEverywhere(std::uint16_t port);
  // Of the IPv4 socket, where there is one.
  boost::asio::ip::udp::endpoint local() const;
  void Close();

  struct Counts {
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;  // not a request of ours
    std::uint64_t errors = 0;   // the reply could not be sent
  };
  const Counts& counts() const { return counts_; }

 private:
  void OnPacket(StampedSocket& socket, const ReceivedPacket& packet);

  StampedSocket v4_;
  StampedSocket v6_;
  Counts counts_;
};

}  // namespace leadline

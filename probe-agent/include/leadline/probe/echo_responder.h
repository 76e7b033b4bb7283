// Answers probe requests, and nothing else.
#pragma once

#include <cstdint>

#include "leadline/probe/packet.h"
#include "leadline/probe/stamped_socket.h"

namespace leadline {

// A request of 32 bytes is answered by a reply of 32 bytes to where it came from: never more than
// was received, and never to a reply, so that two responders cannot keep each other busy.
// Not thread-safe; lives on one io_context.
class EchoResponder {
 public:
  explicit EchoResponder(boost::asio::io_context& io) : socket_(io) {}

  Result<void> Listen(const boost::asio::ip::udp::endpoint& local);
  boost::asio::ip::udp::endpoint local() const { return socket_.local(); }
  void Close() { socket_.Close(); }

  struct Counts {
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;  // not a request of ours
    std::uint64_t errors = 0;   // the reply could not be sent
  };
  const Counts& counts() const { return counts_; }

 private:
  void OnPacket(const ReceivedPacket& packet);

  StampedSocket socket_;
  Counts counts_;
};

}  // namespace leadline

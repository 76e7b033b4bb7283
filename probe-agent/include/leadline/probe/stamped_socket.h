// A UDP socket whose packets carry kernel time stamps, for sending and for receiving.
// https://www.kernel.org/doc/html/latest/networking/timestamping.html
//
// A stamp taken in user space measures the agent's own wait for a CPU as well; the kernel's does
// not. Asio does not hand out ancillary data, so waiting is Asio's and reading is recvmsg's.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

using RealtimeStamp = std::chrono::nanoseconds;  // CLOCK_REALTIME since 1970

struct ReceivedPacket {
  std::span<const std::uint8_t> bytes;
  boost::asio::ip::udp::endpoint from;
  std::optional<RealtimeStamp> kernel_stamp;
};

// Not thread-safe; lives on one io_context.
class StampedSocket {
 public:
  explicit StampedSocket(boost::asio::io_context& io) : socket_(io) {}

  // Binds to `local`; port 0 takes any.
  Result<void> Open(const boost::asio::ip::udp::endpoint& local);
  boost::asio::ip::udp::endpoint local() const { return socket_.local_endpoint(); }

  // Calls `on_packet` for every packet from now on. Packets over 64 bytes come cut off.
  void Receive(std::function<void(const ReceivedPacket&)> on_packet);

  // Numbers the send for SendStamp(): 0, 1, 2 ... The error is the local stack's refusal.
  Result<std::uint32_t> Send(std::span<const std::uint8_t> bytes,
                             const boost::asio::ip::udp::endpoint& to);
  // When the packet with that number left the stack; known once per packet, soon after Send.
  std::optional<RealtimeStamp> SendStamp(std::uint32_t number);

  void Close();

 private:
  void AskForStamps();
  void Wait();
  void ReadAll();
  bool ReadOne();
  void ReadSendStamps();

  boost::asio::ip::udp::socket socket_;
  std::function<void(const ReceivedPacket&)> on_packet_;
  std::uint32_t next_number_ = 0;
  struct SentStamp {
    std::uint32_t number;
    RealtimeStamp stamp;
  };
  std::vector<SentStamp> send_stamps_;  // a ring of the latest
  std::size_t next_stamp_ = 0;
};

RealtimeStamp RealtimeNow();

}  // namespace leadline

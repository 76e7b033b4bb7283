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
  std::optional<boost::asio::ip::address> to;  // which of our addresses it was sent to
  std::optional<RealtimeStamp> kernel_stamp;
};

// Not thread-safe; lives on one io_context.
class StampedSocket {
 public:
  // Without `stamp_sends` SendStamp() knows nothing, and each send costs one wake-up less.
  explicit StampedSocket(boost::asio::io_context& io, bool stamp_sends = true)
      : socket_(io), stamp_sends_(stamp_sends) {}

  // Binds to `local`; port 0 takes any. An IPv6 socket serves IPv6 alone. kNotFound when this
  // machine does not speak the address family, kUnavailable with the address for all else.
  Result<void> Open(const boost::asio::ip::udp::endpoint& local);
  bool is_open() const { return socket_.is_open(); }
  boost::asio::ip::udp::endpoint local() const { return socket_.local_endpoint(); }

  // Calls `on_packet` for every packet from now on. Packets over 64 bytes come cut off.
  void Receive(std::function<void(const ReceivedPacket&)> on_packet);

  // Names the send for SendStamp(). `from` picks one of our addresses, on a machine that has
  // several. The error is the local stack's refusal.
  using SendNumber = std::uint64_t;
  Result<SendNumber> Send(std::span<const std::uint8_t> bytes,
                          const boost::asio::ip::udp::endpoint& to,
                          const std::optional<boost::asio::ip::address>& from = std::nullopt);
  // When that packet left the stack; known soon after Send, and forgotten some 1,000 sends later.
  std::optional<RealtimeStamp> SendStamp(SendNumber number);

  void Close();

 private:
  void AskForStamps();
  void Wait();
  void ReadAll();
  bool ReadOne();
  void ReadSendStamps();
  SendNumber Number(std::uint32_t in_epoch) const { return SendNumber{epoch_} << 32 | in_epoch; }

  boost::asio::ip::udp::socket socket_;
  const bool stamp_sends_;
  std::function<void(const ReceivedPacket&)> on_packet_;
  // The kernel counts sends from 0, and from 0 again when told to: a new epoch.
  std::uint32_t epoch_ = 0;
  std::uint32_t next_in_epoch_ = 0;
  struct SentStamp {
    SendNumber number;
    RealtimeStamp stamp;
  };
  std::vector<SentStamp> send_stamps_;  // a ring of the latest
  std::size_t next_stamp_ = 0;
};

RealtimeStamp RealtimeNow();

}  // namespace leadline

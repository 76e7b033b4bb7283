// One message of recvmsg or sendmsg, with what the kernel says beside the bytes.
#pragma once

#include <sys/socket.h>

#include <array>
#include <boost/asio/ip/udp.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leadline/probe/stamped_socket.h"

namespace leadline {

// Not movable: the header points into it.
class SocketMessage {
 public:
  SocketMessage();
  SocketMessage(const SocketMessage&) = delete;
  SocketMessage& operator=(const SocketMessage&) = delete;

  // Takes a packet, or a report from the error queue with MSG_ERRQUEUE; never waits. What is
  // longer than 64 bytes comes cut off. False with errno when there was none.
  bool Receive(int socket, int flags = 0);

  // Valid after Receive().
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), size_}; }
  boost::asio::ip::udp::endpoint From() const;
  std::optional<boost::asio::ip::address> To();  // the address it was sent to
  std::optional<RealtimeStamp> Stamp();
  std::optional<std::uint32_t> NumberOfSend();  // of a report: which packet's send it stamps

 private:
  template <typename T>
  std::optional<T> Find(int level, int type);

  std::array<std::uint8_t, 64> bytes_{};
  std::size_t size_ = 0;
  alignas(cmsghdr) std::array<char, 512> control_{};
  sockaddr_storage from_{};
  iovec part_{};
  msghdr header_{};
};

// Sends one packet, from the given local address where there is one; never waits. False with errno.
bool SendMessage(int socket, std::span<const std::uint8_t> bytes,
                 const boost::asio::ip::udp::endpoint& to,
                 const std::optional<boost::asio::ip::address>& from);

}  // namespace leadline

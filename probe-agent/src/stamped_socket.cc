#include "leadline/probe/stamped_socket.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

namespace leadline {
namespace {

using boost::asio::ip::udp;

constexpr std::size_t kMaxStamps = 1024;
constexpr std::size_t kMaxPacket = 64;

RealtimeStamp ToStamp(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// A message with room for what the kernel says beside the packet.
struct Message {
  std::array<std::uint8_t, kMaxPacket> bytes{};
  alignas(cmsghdr) std::array<char, 256> control{};
  sockaddr_storage from{};
  iovec part{};
  msghdr header{};

  Message() {
    part = {bytes.data(), bytes.size()};
    header.msg_name = &from;
    header.msg_namelen = sizeof from;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
};

template <typename T>
const T* Find(msghdr& header, int level, int type) {
  for (cmsghdr* at = CMSG_FIRSTHDR(&header); at != nullptr; at = CMSG_NXTHDR(&header, at)) {
    if (at->cmsg_level == level && at->cmsg_type == type) {
      return reinterpret_cast<const T*>(CMSG_DATA(at));
    }
  }
  return nullptr;
}

std::optional<RealtimeStamp> StampOf(msghdr& header) {
  const auto* stamps = Find<scm_timestamping>(header, SOL_SOCKET, SCM_TIMESTAMPING);
  if (stamps == nullptr || (stamps->ts[0].tv_sec == 0 && stamps->ts[0].tv_nsec == 0)) return {};
  return ToStamp(stamps->ts[0]);
}

}  // namespace

RealtimeStamp RealtimeNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return ToStamp(now);
}

Result<void> StampedSocket::Open(const udp::endpoint& local) {
  boost::system::error_code error;
  socket_.open(local.protocol(), error);
  if (!error) socket_.bind(local, error);
  if (error) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("UDP socket on {}:{}: {}", local.address().to_string(), local.port(),
                             error.message()));
  }
  AskForStamps();
  socket_.non_blocking(true, error);
  return {};
}

// Numbers sends from 0 again. Where the kernel refuses, packets come without stamps and user
// space's are taken.
void StampedSocket::AskForStamps() {
  const int base = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
                   SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
  const int numbered = base | SOF_TIMESTAMPING_OPT_ID;
  for (const int flags : {base, numbered}) {
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
  }
  next_number_ = 0;
  send_stamps_.clear();
  next_stamp_ = 0;
}

void StampedSocket::Receive(std::function<void(const ReceivedPacket&)> on_packet) {
  on_packet_ = std::move(on_packet);
  Wait();
}

void StampedSocket::Wait() {
  socket_.async_wait(udp::socket::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    ReadAll();
    Wait();
  });
}

void StampedSocket::ReadAll() {
  // Send stamps raise the socket too; left unread they would wake us for ever.
  ReadSendStamps();
  while (ReadOne()) {
  }
}

bool StampedSocket::ReadOne() {
  Message message;
  const ssize_t size = recvmsg(socket_.native_handle(), &message.header, MSG_DONTWAIT);
  if (size < 0) return errno == EINTR || errno == ECONNREFUSED;
  ReceivedPacket packet;
  packet.bytes = {message.bytes.data(), static_cast<std::size_t>(size)};
  packet.kernel_stamp = StampOf(message.header);
  packet.from.resize(message.header.msg_namelen);
  std::memcpy(packet.from.data(), &message.from, message.header.msg_namelen);
  on_packet_(packet);
  return true;
}

Result<std::uint32_t> StampedSocket::Send(std::span<const std::uint8_t> bytes,
                                          const udp::endpoint& to) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const ssize_t sent = sendto(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                                to.data(), static_cast<socklen_t>(to.size()));
    if (sent >= 0) return next_number_++;
    // An ICMP answer to an earlier packet is reported at the next call: not this one's failure.
    if (errno != ECONNREFUSED && errno != EINTR) break;
  }
  const Error error(ErrorCode::kUnavailable, std::strerror(errno));
  // A firewall may have refused it after the kernel had counted it: begin counting anew, or every
  // later packet would get its neighbour's stamp.
  AskForStamps();
  return error;
}

std::optional<RealtimeStamp> StampedSocket::SendStamp(std::uint32_t number) {
  ReadSendStamps();
  for (const SentStamp& sent : send_stamps_) {
    if (sent.number == number) return sent.stamp;
  }
  return std::nullopt;
}

void StampedSocket::ReadSendStamps() {
  while (true) {
    Message message;
    const ssize_t size =
        recvmsg(socket_.native_handle(), &message.header, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (size < 0) return;
    const auto stamp = StampOf(message.header);
    const bool v6 = message.from.ss_family == AF_INET6;
    const auto* report = Find<sock_extended_err>(message.header, v6 ? SOL_IPV6 : SOL_IP,
                                                 v6 ? IPV6_RECVERR : IP_RECVERR);
    if (report == nullptr) {
      report = Find<sock_extended_err>(message.header, SOL_IPV6, IPV6_RECVERR);
    }
    if (!stamp || report == nullptr || report->ee_origin != SO_EE_ORIGIN_TIMESTAMPING) continue;
    const SentStamp sent{report->ee_data, *stamp};
    if (send_stamps_.size() < kMaxStamps) {
      send_stamps_.push_back(sent);
    } else {
      send_stamps_[next_stamp_++ % kMaxStamps] = sent;
    }
  }
}

void StampedSocket::Close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace leadline

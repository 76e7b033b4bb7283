#include "leadline/probe/stamped_socket.h"

#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/ip/v6_only.hpp>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "socket_message.h"

namespace leadline {
namespace {

using boost::asio::ip::udp;

constexpr std::size_t kMaxStamps = 1024;

// Where the kernel refuses, packets come without the address they were sent to.
void AskForAddresses(int socket, bool v6) {
  const int on = 1;
  setsockopt(socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on,
             sizeof on);
}

}  // namespace

RealtimeStamp RealtimeNow() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Result<void> StampedSocket::Open(const udp::endpoint& local) {
  const bool v6 = local.address().is_v6();
  boost::system::error_code error;
  socket_.open(local.protocol(), error);
  const bool unknown_family = error == boost::asio::error::address_family_not_supported;
  if (!error && v6) socket_.set_option(boost::asio::ip::v6_only(true), error);
  if (!error) socket_.bind(local, error);
  if (error) {
    Close();
    return Error(unknown_family ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
                 fmt::format("UDP socket on {}:{}: {}", local.address().to_string(), local.port(),
                             error.message()));
  }
  AskForAddresses(socket_.native_handle(), v6);
  AskForStamps();
  socket_.non_blocking(true, error);
  return {};
}

// The kernel numbers sends from 0 again. Where it refuses, packets come without stamps and user
// space's are taken.
void StampedSocket::AskForStamps() {
  const int received = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE;
  const int sent = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
  const int base = stamp_sends_ ? received | sent : received;
  const int numbered = base | SOF_TIMESTAMPING_OPT_ID;
  for (const int flags : {base, numbered}) {
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
  }
  ++epoch_;
  next_in_epoch_ = 0;
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
  SocketMessage message;
  if (!message.Receive(socket_.native_handle())) return errno == EINTR || errno == ECONNREFUSED;
  on_packet_({message.bytes(), message.From(), message.To(), message.Stamp()});
  return true;
}

Result<StampedSocket::SendNumber> StampedSocket::Send(
    std::span<const std::uint8_t> bytes, const udp::endpoint& to,
    const std::optional<boost::asio::ip::address>& from) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (SendMessage(socket_.native_handle(), bytes, to, from)) return Number(next_in_epoch_++);
    // An ICMP answer to an earlier packet is reported at the next call: not this one's failure.
    if (errno != ECONNREFUSED && errno != EINTR) break;
  }
  const Error error(ErrorCode::kUnavailable, std::strerror(errno));
  // A firewall may have refused it after the kernel had counted it: begin counting anew, or every
  // later packet would get its neighbour's stamp. Stamps that wait belong to the old count.
  ReadSendStamps();
  AskForStamps();
  return error;
}

std::optional<RealtimeStamp> StampedSocket::SendStamp(SendNumber number) {
  ReadSendStamps();
  for (const SentStamp& sent : send_stamps_) {
    if (sent.number == number) return sent.stamp;
  }
  return std::nullopt;
}

void StampedSocket::ReadSendStamps() {
  while (true) {
    SocketMessage report;
    if (!report.Receive(socket_.native_handle(), MSG_ERRQUEUE)) return;
    const auto stamp = report.Stamp();
    const auto number = report.NumberOfSend();
    if (!stamp || !number) continue;
    const SentStamp sent{Number(*number), *stamp};
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

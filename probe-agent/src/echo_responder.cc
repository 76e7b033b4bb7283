#include "leadline/probe/echo_responder.h"

#include <algorithm>
#include <limits>

namespace leadline {
namespace {

using boost::asio::ip::udp;

std::uint32_t Saturated(std::chrono::nanoseconds time) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(time.count(), 0, kMost));
}

}  // namespace

Result<void> EchoResponder::Listen(const udp::endpoint& local) {
  StampedSocket& socket = local.address().is_v6() ? v6_ : v4_;
  if (auto opened = socket.Open(local); !opened) return opened.error();
  socket.Receive([this, &socket](const ReceivedPacket& packet) { OnPacket(socket, packet); });
  return {};
}

Result<void> EchoResponder::ListenEverywhere(std::uint16_t port) {
  if (auto v4 = Listen({udp::v4(), port}); !v4) return v4.error();
  auto v6 = Listen({udp::v6(), v4_.local().port()});
  if (!v6 && v6.error().code() != ErrorCode::kNotFound) return v6.error();
  return {};
}

udp::endpoint EchoResponder::local() const { return (v4_.is_open() ? v4_ : v6_).local(); }

void EchoResponder::Close() {
  v4_.Close();
  v6_.Close();
}

void EchoResponder::OnPacket(StampedSocket& socket, const ReceivedPacket& packet) {
  auto request = Decode(packet.bytes);
  if (!request || request->kind != ProbePacket::Kind::kRequest) {
    ++counts_.refused;
    return;
  }
  request->kind = ProbePacket::Kind::kReply;
  // Our own wait for a CPU is not the network's: tell the asker how long we held the packet.
  request->turnaround_ns =
      packet.kernel_stamp ? Saturated(RealtimeNow() - *packet.kernel_stamp) : 0;
  const auto sent = socket.Send(Encode(*request), packet.from, packet.to);
  ++(sent ? counts_.answered : counts_.errors);
}

}  // namespace leadline

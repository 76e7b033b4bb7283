#include "leadline/probe/echo_responder.h"

#include <algorithm>
#include <limits>

namespace leadline {
namespace {

std::uint32_t Saturated(std::chrono::nanoseconds time) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(time.count(), 0, kMost));
}

}  // namespace

Result<void> EchoResponder::Listen(const boost::asio::ip::udp::endpoint& local) {
  if (auto opened = socket_.Open(local); !opened) return opened.error();
  socket_.Receive([this](const ReceivedPacket& packet) { OnPacket(packet); });
  return {};
}

void EchoResponder::OnPacket(const ReceivedPacket& packet) {
  auto request = Decode(packet.bytes);
  if (!request || request->kind != ProbePacket::Kind::kRequest) {
    ++counts_.refused;
    return;
  }
  request->kind = ProbePacket::Kind::kReply;
  // Our own wait for a CPU is not the network's: tell the asker how long we held the packet.
  request->turnaround_ns =
      packet.kernel_stamp ? Saturated(RealtimeNow() - *packet.kernel_stamp) : 0;
  const auto sent = socket_.Send(Encode(*request), packet.from);
  ++(sent ? counts_.answered : counts_.errors);
}

}  // namespace leadline

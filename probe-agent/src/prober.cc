#include "leadline/probe/prober.h"

#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "clock_pair.h"

namespace leadline {
namespace {

using boost::asio::ip::udp;
using std::chrono::nanoseconds;

// A packet is remembered this long after its time-out, to tell late and duplicate from stray.
constexpr std::chrono::seconds kMemory{5};

}  // namespace

struct Prober::Peer {
  Peer(boost::asio::io_context& io, std::string peer_name)
      : name(std::move(peer_name)), timer(io) {}
  std::string name;
  udp::endpoint address;
  boost::asio::steady_timer timer;
  std::optional<std::uint32_t> newest_answered;  // sequence
};

struct Prober::Sent {
  explicit Sent(boost::asio::io_context& io) : timer(io) {}
  std::string peer;
  udp::endpoint to;
  std::uint64_t token = 0;
  StampedSocket::SendNumber number = 0;
  ClockPair clocks;  // just before
  int retries_left = 0;
  bool answered = false;
  bool timed_out = false;
  boost::asio::steady_timer timer;
};

Prober::Prober(boost::asio::io_context& io, ProberOptions options, std::uint64_t seed,
               OnSample on_sample, OnLoss on_loss, const Clock& clock)
    : io_(io),
      options_(options),
      rng_(seed),
      on_sample_(std::move(on_sample)),
      on_loss_(std::move(on_loss)),
      clock_(clock),
      v4_(io),
      v6_(io),
      sender_(static_cast<std::uint32_t>(rng_.NextU64())) {}

Prober::~Prober() { Close(); }

Result<void> Prober::Open() {
  if (auto opened = v4_.Open(udp::endpoint(udp::v4(), 0)); !opened) return opened.error();
  has_v6_ = v6_.Open(udp::endpoint(udp::v6(), 0)).has_value();
  v4_.Receive([this](const ReceivedPacket& packet) { OnPacket(v4_, packet); });
  if (has_v6_) v6_.Receive([this](const ReceivedPacket& packet) { OnPacket(v6_, packet); });
  return {};
}

void Prober::Close() {
  peers_.clear();
  sent_.clear();
  v4_.Close();
  v6_.Close();
}

void Prober::SetPeer(const std::string& name, const udp::endpoint& address) {
  auto& peer = peers_[name];
  if (peer) {
    peer->address = address;
    return;
  }
  peer = std::make_unique<Peer>(io_, name);
  peer->address = address;
  const double phase = rng_.Uniform() * static_cast<double>(options_.interval.count());
  ScheduleRound(*peer, nanoseconds(static_cast<std::int64_t>(phase)));
}

void Prober::RemovePeer(const std::string& name) { peers_.erase(name); }

void Prober::StopRounds() {
  for (auto& [name, peer] : peers_) peer->timer.cancel();
}

void Prober::ScheduleRound(Peer& peer, nanoseconds in) {
  peer.timer.expires_after(in);
  peer.timer.async_wait([this, name = peer.name](const boost::system::error_code& error) {
    const auto found = peers_.find(name);
    if (error || found == peers_.end()) return;
    SendProbe(*found->second, options_.retries);
    const double jitter = 0.95 + 0.1 * rng_.Uniform();
    const double next = jitter * static_cast<double>(options_.interval.count());
    ScheduleRound(*found->second, nanoseconds(static_cast<std::int64_t>(next)));
  });
}

StampedSocket& Prober::SocketFor(const udp::endpoint& address) {
  return address.address().is_v6() ? v6_ : v4_;
}

void Prober::SendProbe(Peer& peer, int retries_left) {
  const std::uint32_t sequence = next_sequence_++;
  auto sent = std::make_unique<Sent>(io_);
  sent->peer = peer.name;
  sent->to = peer.address;
  sent->token = rng_.NextU64();
  sent->retries_left = retries_left;
  ProbePacket request;
  request.sender = sender_;
  request.sequence = sequence;
  request.token = sent->token;
  sent->clocks = ReadClocks(clock_);
  const auto number = SocketFor(peer.address).Send(Encode(request), peer.address);
  if (!number) {
    // Our own stack refused: says nothing of the peer.
    ++counts_.send_errors;
    return;
  }
  sent->number = *number;
  ++counts_.sent;
  sent->timer.expires_after(options_.timeout);
  sent->timer.async_wait([this, sequence](const boost::system::error_code& error) {
    if (!error) OnTimeout(sequence);
  });
  sent_[sequence] = std::move(sent);
}

void Prober::OnTimeout(std::uint32_t sequence) {
  const auto found = sent_.find(sequence);
  if (found == sent_.end()) return;
  Sent& sent = *found->second;
  if (!sent.answered) {
    sent.timed_out = true;
    ++counts_.lost;
    on_loss_(sent.peer);
    const auto peer = peers_.find(sent.peer);
    if (sent.retries_left > 0 && peer != peers_.end()) {
      SendProbe(*peer->second, sent.retries_left - 1);
    }
  }
  Forget(sequence);
}

void Prober::Forget(std::uint32_t sequence) {
  Sent& sent = *sent_[sequence];
  sent.timer.expires_after(kMemory);
  sent.timer.async_wait([this, sequence](const boost::system::error_code& error) {
    if (!error) sent_.erase(sequence);
  });
}

void Prober::OnPacket(StampedSocket& socket, const ReceivedPacket& packet) {
  const auto reply = Decode(packet.bytes);
  if (!reply || reply->kind != ProbePacket::Kind::kReply) {
    ++counts_.corrupt;
    return;
  }
  const auto found = sent_.find(reply->sequence);
  if (found == sent_.end() || reply->sender != sender_ || found->second->token != reply->token ||
      found->second->to != packet.from) {
    ++counts_.stray;
    return;
  }
  Sent& sent = *found->second;
  if (sent.answered) {
    ++counts_.duplicate;
  } else if (sent.timed_out) {
    ++counts_.late;
    sent.answered = true;
  } else {
    Accept(socket, sent, packet, *reply);
  }
}

void Prober::Accept(StampedSocket& socket, Sent& sent, const ReceivedPacket& packet,
                    const ProbePacket& reply) {
  const ClockPair now = ReadClocks(clock_);
  const nanoseconds tolerance = StepTolerance(sent.clocks, now);
  const nanoseconds longest = now.steady - sent.clocks.steady;
  auto left = socket.SendStamp(sent.number);
  // A packet that left before it was sent has another one's stamp.
  if (left && *left < sent.clocks.wall - tolerance) left.reset();
  const bool kernel = left && packet.kernel_stamp;
  const nanoseconds interval = kernel ? *packet.kernel_stamp - *left : longest;
  const nanoseconds rtt = interval - nanoseconds(reply.turnaround_ns);
  sent.answered = true;
  // Kernel stamps are wall clock: an interval over which that was set, or that lies outside the
  // steady one, was not measured; nor was one that the peer claims to have held for longer.
  const bool stepped = kernel && WallClockStepped(sent.clocks, now);
  if (stepped || interval > longest + tolerance || rtt < nanoseconds(0)) {
    ++counts_.clock_steps;
    return;
  }
  ++counts_.answered;
  if (!kernel) ++counts_.userspace_stamps;
  NoteOrder(sent.peer, reply.sequence);
  on_sample_({sent.peer, sent.token, rtt, kernel});
}

void Prober::NoteOrder(const std::string& name, std::uint32_t sequence) {
  const auto peer = peers_.find(name);
  if (peer == peers_.end()) return;
  auto& newest = peer->second->newest_answered;
  // Sequences wrap around.
  if (newest && static_cast<std::int32_t>(sequence - *newest) < 0) {
    ++counts_.reordered;
  } else {
    newest = sequence;
  }
}

}  // namespace leadline

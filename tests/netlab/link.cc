#include "netlab/link.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "leadline/probe/packet.h"
#include "netlab/ip_packet.h"

namespace leadline::netlab {
namespace {

using std::chrono::nanoseconds;

// Sleeping ends some tens of microseconds late; the rest of the wait is spun.
constexpr std::chrono::microseconds kSpin{60};
constexpr std::size_t kMostUnderWay = 16384;
constexpr int kMostAtOnce = 64;
constexpr std::uint64_t kSignals = std::numeric_limits<std::uint64_t>::max();

Error Failed(const char* what) {
  return Error(ErrorCode::kUnavailable, fmt::format("{}: {}", what, std::strerror(errno)));
}

SteadyTime Now() { return std::chrono::steady_clock::now(); }

}  // namespace

Link::Link(const LatencyMatrix& matrix, const Subnet& subnet, std::vector<File> ends,
           LinkOptions options)
    : matrix_(matrix),
      subnet_(subnet),
      ends_(std::move(ends)),
      options_(options),
      rng_(options.seed),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

Result<void> Link::Watch(int fd, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Failed("epoll_ctl");
  return {};
}

Result<void> Link::Run(const std::function<void()>& on_ready) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const File signal(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (auto watched = Watch(signal.get(), kSignals); !watched) return watched.error();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (auto watched = Watch(ends_[i].get(), i); !watched) return watched.error();
  }
  on_ready();
  std::array<epoll_event, 32> events;
  while (true) {
    timespec limit{};
    const auto sleep = Sleep();
    if (sleep) limit = {sleep->count() / 1'000'000'000, sleep->count() % 1'000'000'000};
    const int ready = epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   sleep ? &limit : nullptr, nullptr);
    if (ready < 0 && errno != EINTR) return Failed("epoll_pwait2");
    for (int i = 0; i < ready; ++i) {
      const std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
      if (tag == kSignals) return {};
      ReadAll(tag);
    }
    WriteDue();
  }
}

std::optional<nanoseconds> Link::Sleep() const {
  const auto due = queue_.next_due();
  if (!due) return std::nullopt;
  return std::max<nanoseconds>(*due - Now() - kSpin, nanoseconds(0));
}

void Link::ReadAll(std::size_t from) {
  std::array<std::uint8_t, 65536> buffer;
  for (int i = 0; i < kMostAtOnce; ++i) {
    const ssize_t size = read(ends_[from].get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    const SteadyTime now = Now();
    const std::span<const std::uint8_t> bytes(buffer.data(), static_cast<std::size_t>(size));
    const auto destination = Ipv4Destination(bytes);
    const std::size_t to = destination ? *destination - subnet_.Address(0) : ends_.size();
    if (to >= ends_.size() || queue_.size() >= kMostUnderWay) continue;
    if (options_.loss > 0 && rng_.Uniform() < options_.loss) continue;
    const double jitter = rng_.Uniform() * static_cast<double>(options_.jitter.count());
    const auto delay = matrix_.OneWay(from, to) + nanoseconds(static_cast<std::int64_t>(jitter));
    queue_.Push(now + delay, {now, from, to, {bytes.begin(), bytes.end()}});
  }
}

void Link::WriteDue() {
  while (const auto due = queue_.next_due()) {
    SteadyTime now = Now();
    if (*due - now > kSpin) return;
    while (now < *due) now = Now();
    const auto packet = queue_.Pop(now);
    // A device whose queue is full drops the packet, as a network does.
    const auto& bytes = packet->bytes;
    const auto written = write(ends_[packet->to].get(), bytes.data(), bytes.size());
    if (options_.truth != nullptr && written > 0) TellTruth(*packet, now - packet->read);
  }
}

void Link::TellTruth(const Packet& packet, nanoseconds hold) {
  const auto probe = Decode(UdpPayload(packet.bytes));
  if (!probe) return;
  fmt::print(options_.truth, "{:016x} {} {} {} {}\n", probe->token,
             probe->kind == ProbePacket::Kind::kRequest ? "request" : "reply", hold.count(),
             packet.from, packet.to);
}

}  // namespace leadline::netlab

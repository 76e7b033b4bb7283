// The emulated link: reads packets from all its ends, holds each for its delay, writes it out.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leadline/base/rng.h"
#include "netlab/delay_queue.h"
#include "netlab/latency_matrix.h"
#include "netlab/tun.h"

namespace leadline::netlab {

struct LinkOptions {
  std::chrono::nanoseconds jitter{0};  // added to each delay: uniform from 0 to this
  double loss = 0;                     // share of packets that vanish, 0 to 1
  std::uint64_t seed = 1;
  std::FILE* truth = nullptr;  // takes a line for each probe packet; see docs/probing.md
};

// Not thread-safe.
class Link {
 public:
  Link(const LatencyMatrix& matrix, const Subnet& subnet, std::vector<File> ends,
       LinkOptions options);

  // Carries packets until one of the signals SIGINT and SIGTERM, which it blocks; calls `on_ready`
  // once it does.
  Result<void> Run(const std::function<void()>& on_ready);

 private:
  struct Packet {
    SteadyTime read;
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<std::uint8_t> bytes;
  };

  Result<void> Watch(int fd, std::uint64_t tag);
  void ReadAll(std::size_t from);
  void WriteDue();
  // How long epoll may sleep: until shortly before the next packet is due.
  std::optional<std::chrono::nanoseconds> Sleep() const;
  void TellTruth(const Packet& packet, std::chrono::nanoseconds hold);

  const LatencyMatrix& matrix_;
  const Subnet subnet_;
  const std::vector<File> ends_;
  const LinkOptions options_;
  Rng rng_;
  File epoll_;
  DelayQueue<Packet> queue_;
};

}  // namespace leadline::netlab

// UDP on this machine's loopback for the tests of prober and responder.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <chrono>
#include <functional>
#include <span>

#include "leadline/probe/packet.h"

namespace leadline::loopback {

using boost::asio::ip::udp;

inline udp::endpoint AnyPort() { return {boost::asio::ip::address_v4::loopback(), 0}; }
inline udp::endpoint AnyPortV6() { return {boost::asio::ip::address_v6::loopback(), 0}; }

// Runs what is there to do until `done`; a test that gets stuck fails after a generous time.
inline void RunUntil(boost::asio::io_context& io, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "what the test waits for does not happen";
      return;
    }
    io.run_one_for(std::chrono::milliseconds(100));
    io.restart();
  }
}

inline void RunFor(boost::asio::io_context& io, std::chrono::milliseconds time) {
  io.run_for(time);
  io.restart();
}

// A socket that hands each packet to a function.
class Peer {
 public:
  using OnBytes = std::function<void(Peer&, std::span<const std::uint8_t>, const udp::endpoint&)>;

  Peer(boost::asio::io_context& io, OnBytes on_bytes, const udp::endpoint& local = AnyPort())
      : socket_(io, local), on_bytes_(std::move(on_bytes)) {
    Receive();
  }

  udp::endpoint address() const { return socket_.local_endpoint(); }
  void Send(std::span<const std::uint8_t> bytes, const udp::endpoint& to) {
    socket_.send_to(boost::asio::buffer(bytes.data(), bytes.size()), to);
  }

 private:
  void Receive() {
    socket_.async_receive_from(boost::asio::buffer(buffer_), from_,
                               [this](const boost::system::error_code& error, std::size_t size) {
                                 if (error) return;
                                 on_bytes_(*this, {buffer_.data(), size}, from_);
                                 Receive();
                               });
  }

  udp::socket socket_;
  OnBytes on_bytes_;
  std::array<std::uint8_t, 256> buffer_{};
  udp::endpoint from_;
};

// The honest answer to a request.
inline ProbePacket ReplyTo(std::span<const std::uint8_t> bytes) {
  auto packet = Decode(bytes);
  if (!packet) {
    ADD_FAILURE() << "not a probe packet";
    return {};
  }
  packet->kind = ProbePacket::Kind::kReply;
  return *packet;
}

}  // namespace leadline::loopback

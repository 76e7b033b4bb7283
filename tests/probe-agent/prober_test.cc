#include "leadline/probe/prober.h"

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <thread>

#include "leadline/probe/echo_responder.h"
#include "probe-agent/prober_fixture.h"

namespace leadline {
namespace {

using loopback::AnyPort;
using loopback::Peer;
using loopback::RunUntil;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(ProberTest, MeasuresAResponder) {
  EchoResponder responder(io_);
  ASSERT_TRUE(responder.Listen(AnyPort()));
  Probing probing(io_, Patient());
  SendProbes(probing, responder.local(), 100);
  RunUntil(io_, [&] { return probing.counts().answered == 100; });
  EXPECT_EQ(probing.counts().lost, 0u);
  ASSERT_EQ(probing.samples.size(), 100u);
  std::size_t kernel = 0;
  for (const ProbeSample& sample : probing.samples) {
    EXPECT_EQ(sample.peer, "peer");
    EXPECT_GE(sample.rtt.count(), 0);
    kernel += sample.kernel_stamps ? 1 : 0;
  }
  // The first may come before the kernel has begun to stamp.
  EXPECT_GE(kernel, 50u);
  EXPECT_EQ(probing.counts().userspace_stamps, 100 - kernel);
}

TEST_F(ProberTest, MeasuresOverIpv6) {
  EchoResponder responder(io_);
  if (!responder.Listen(loopback::AnyPortV6())) GTEST_SKIP() << "no IPv6 here";
  Probing probing(io_, Patient());
  SendProbes(probing, responder.local(), 50);
  RunUntil(io_, [&] { return probing.counts().answered == 50; });
  EXPECT_EQ(probing.counts().lost, 0u);
  EXPECT_EQ(probing.counts().stray, 0u);
  EXPECT_LE(probing.counts().userspace_stamps, 25u);
}

TEST_F(ProberTest, TakesOffThePeersOwnHoldingTime) {
  constexpr milliseconds kHeld{40}, kTold{30};
  Peer slow(io_, [&](Peer& self, std::span<const std::uint8_t> bytes, const auto& from) {
    ProbePacket reply = loopback::ReplyTo(bytes);
    std::this_thread::sleep_for(kHeld);
    reply.turnaround_ns = static_cast<std::uint32_t>(std::chrono::nanoseconds(kTold).count());
    self.Send(Encode(reply), from);
  });
  Probing probing(io_, Patient());
  SendProbes(probing, slow.address(), 1);
  RunUntil(io_, [&] { return probing.counts().answered == 1; });
  EXPECT_GE(probing.samples.at(0).rtt, kHeld - kTold);
}

TEST_F(ProberTest, APeerThatNeverAnswersIsLostAndTriedAgain) {
  int requests = 0;
  Peer silent(io_, [&](Peer&, std::span<const std::uint8_t>, const auto&) { ++requests; });
  Probing probing(io_, {seconds(3), milliseconds(20), 2});
  probing.prober.SetPeer("peer", silent.address());
  RunUntil(io_, [&] { return probing.counts().lost == 3; });
  loopback::RunFor(io_, milliseconds(200));
  EXPECT_EQ(probing.counts().sent, 3u);
  EXPECT_EQ(probing.losses["peer"], 3);
  EXPECT_EQ(requests, 3);
  EXPECT_TRUE(probing.samples.empty());
}

TEST_F(ProberTest, ADeadPeerDoesNotHoldUpALivingOne) {
  EchoResponder responder(io_);
  ASSERT_TRUE(responder.Listen(AnyPort()));
  auto dead = std::make_unique<Peer>(io_, [](Peer&, std::span<const std::uint8_t>, const auto&) {});
  const auto nobody = dead->address();
  dead.reset();  // from now on the kernel answers "port unreachable"
  Probing probing(io_, {milliseconds(1), milliseconds(500), 0});
  probing.prober.SetPeer("dead", nobody);
  probing.prober.SetPeer("alive", responder.local());
  RunUntil(io_, [&] { return probing.losses["dead"] >= 20; });
  EXPECT_EQ(probing.losses.count("alive"), 0u);
  EXPECT_GE(probing.samples.size(), 20u);
  for (const ProbeSample& sample : probing.samples) EXPECT_EQ(sample.peer, "alive");
}

TEST_F(ProberTest, WhatOurOwnStackRefusesIsNotThePeersLoss) {
  // Broadcast, which this socket has not asked for.
  const loopback::udp::endpoint refused(boost::asio::ip::address_v4::broadcast(), 9);
  EchoResponder responder(io_);
  ASSERT_TRUE(responder.Listen(AnyPort()));
  Probing probing(io_, Patient());
  probing.prober.SetPeer("refused", refused);
  RunUntil(io_, [&] { return probing.counts().send_errors >= 10; });
  EXPECT_EQ(probing.counts().sent, 0u);
  // Nor does it mix up the stamps of packets that are sent.
  probing.prober.SetPeer("alive", responder.local());
  RunUntil(io_, [&] { return probing.counts().answered >= 50; });
  EXPECT_GT(probing.counts().send_errors, 10u);
  EXPECT_EQ(probing.counts().lost, 0u);
  EXPECT_TRUE(probing.losses.empty());
  EXPECT_EQ(probing.counts().clock_steps, 0u);
  EXPECT_LE(probing.counts().userspace_stamps, 25u);
}

// Sends that are refused while others are under way must not give those another packet's stamp:
// they would look faster than they were.
TEST_F(ProberTest, RefusedSendsDoNotMakeSlowAnswersFast) {
  constexpr milliseconds kHeld{20};
  Peer slow(io_, [&](Peer& self, std::span<const std::uint8_t> bytes, const auto& from) {
    auto timer = std::make_shared<boost::asio::steady_timer>(io_, kHeld);
    timer->async_wait([&self, from, reply = Encode(loopback::ReplyTo(bytes)), timer](auto) {
      self.Send(reply, from);
    });
  });
  Probing probing(io_, Patient());
  probing.prober.SetPeer("refused", {boost::asio::ip::address_v4::broadcast(), 9});
  probing.prober.SetPeer("slow", slow.address());
  RunUntil(io_, [&] { return probing.counts().answered >= 300; });
  EXPECT_EQ(probing.counts().clock_steps, 0u);
  for (const ProbeSample& sample : probing.samples) EXPECT_GE(sample.rtt, kHeld);
}

// A wall clock that somebody sets while a packet is under way.
class SetClock : public Clock {
 public:
  SystemTime Now() const override { return Clock::Real().Now() + set_by; }
  SteadyTime SteadyNow() const override { return Clock::Real().SteadyNow(); }
  std::chrono::nanoseconds set_by{0};
};

TEST_F(ProberTest, WhatIsMeasuredWhileTheClockIsSetIsDropped) {
  SetClock clock;
  int answers = 0, samples = 0;
  Peer peer(io_, [&](Peer& self, std::span<const std::uint8_t> bytes, const auto& from) {
    // Every other packet, forth and back, and by less than the round trip.
    if (++answers % 2 == 0) clock.set_by += milliseconds(answers % 4 == 0 ? 5 : -5);
    self.Send(Encode(loopback::ReplyTo(bytes)), from);
  });
  Prober prober(
      io_, Patient(), 1, [&](const ProbeSample&) { ++samples; }, [](const std::string&) {}, clock);
  ASSERT_TRUE(prober.Open());
  prober.SetPeer("peer", peer.address());
  RunUntil(io_, [&] { return prober.counts().clock_steps >= 50 && samples >= 50; });
  EXPECT_LE(prober.counts().clock_steps, static_cast<std::uint64_t>(answers / 2));
  EXPECT_EQ(prober.counts().answered, static_cast<std::uint64_t>(samples));
  EXPECT_EQ(prober.counts().lost, 0u);
}

// 127.0.0.1 and 127.0.0.2 are two addresses of one machine: the reply must come from that asked.
TEST_F(ProberTest, AMachineOfSeveralAddressesAnswersFromTheOneAsked) {
  EchoResponder everywhere(io_);
  const auto listening = everywhere.ListenEverywhere(0);
  ASSERT_TRUE(listening) << listening.error().message();
  const std::uint16_t port = everywhere.local().port();
  Probing probing(io_, Patient());
  SendProbes(probing, {boost::asio::ip::make_address("127.0.0.2"), port}, 20);
  RunUntil(io_, [&] { return probing.counts().answered == 20; });
  if (EchoResponder v6(io_); v6.Listen(loopback::AnyPortV6())) {
    SendProbes(probing, {boost::asio::ip::make_address("::1"), port}, 40);
    RunUntil(io_, [&] { return probing.counts().answered == 40; });
  }
  EXPECT_EQ(probing.counts().stray, 0u);
}

TEST_F(ProberTest, AClosedProberIsStill) {
  EchoResponder responder(io_);
  ASSERT_TRUE(responder.Listen(AnyPort()));
  Probing probing(io_, Patient());
  probing.prober.SetPeer("peer", responder.local());
  RunUntil(io_, [&] { return probing.counts().answered >= 3; });
  probing.prober.Close();
  const auto sent = probing.counts().sent;
  loopback::RunFor(io_, milliseconds(50));
  EXPECT_EQ(probing.counts().sent, sent);
}

}  // namespace
}  // namespace leadline

// Peers that answer wrongly: what they do must not make a dead peer look alive, a late packet look
// fast, or the loss leave 0 to 1.
#include <set>
#include <thread>

#include "leadline/probe/rtt_window.h"
#include "probe-agent/prober_fixture.h"

namespace leadline {
namespace {

using loopback::Peer;
using loopback::ReplyTo;
using loopback::RunUntil;
using loopback::udp;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

using Bytes = std::span<const std::uint8_t>;
using MischiefTest = ProberTest;

double Loss(const ProbeCounts& counts) {
  RttWindow window(seconds(60));
  for (std::uint64_t i = 0; i < counts.answered; ++i) window.AddAnswer({}, nanoseconds(1));
  for (std::uint64_t i = 0; i < counts.lost; ++i) window.AddLoss({});
  return window.Summarize({}).LossRatio().value();
}

TEST_F(MischiefTest, EveryReplyTwice) {
  Peer twice(io_, [](Peer& self, Bytes bytes, const udp::endpoint& from) {
    for (int i = 0; i < 2; ++i) self.Send(Encode(ReplyTo(bytes)), from);
  });
  Probing probing(io_, Patient());
  SendProbes(probing, twice.address(), 1000);
  RunUntil(io_, [&] { return probing.counts().duplicate == 1000; });
  EXPECT_EQ(probing.counts().answered, 1000u);
  EXPECT_EQ(probing.samples.size(), 1000u);
  EXPECT_EQ(Loss(probing.counts()), 0);
}

TEST_F(MischiefTest, PairsInReverseOrder) {
  std::map<std::uint64_t, SteadyTime> held_since;
  std::map<std::uint64_t, nanoseconds> held_for;
  std::optional<ProbePacket> first;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  Peer reversing(io_, [&](Peer& self, Bytes bytes, const udp::endpoint& from) {
    const ProbePacket reply = ReplyTo(bytes);
    if (!first) {
      first = reply;
      held_since[reply.token] = now();
      return;
    }
    self.Send(Encode(reply), from);
    held_for[first->token] = now() - held_since[first->token];
    self.Send(Encode(*first), from);
    first.reset();
  });
  Probing probing(io_, Patient());
  SendProbes(probing, reversing.address(), 1000);
  RunUntil(io_, [&] { return probing.counts().answered == 1000; });
  EXPECT_EQ(Loss(probing.counts()), 0);
  EXPECT_EQ(probing.counts().duplicate, 0u);
  // One of each pair, but for pairs under way when the peer was removed.
  EXPECT_GT(probing.counts().reordered, 300u);
  EXPECT_LE(probing.counts().reordered, 500u);
  std::set<std::uint64_t> tokens;
  for (const ProbeSample& sample : probing.samples) {
    tokens.insert(sample.token);
    // None of those that were not held.
    EXPECT_GE(sample.rtt, held_for[sample.token] - milliseconds(1));
  }
  EXPECT_EQ(tokens.size(), 1000u);
}

TEST_F(MischiefTest, AnAlteredReplyIsNoReply) {
  std::size_t at = 0;
  Peer altering(io_, [&](Peer& self, Bytes bytes, const udp::endpoint& from) {
    ProbeBytes reply = Encode(ReplyTo(bytes));
    reply[at++ % reply.size()] ^= 0x10;
    self.Send(reply, from);
  });
  Probing probing(io_, Impatient());
  SendProbes(probing, altering.address(), 100);
  RunUntil(io_, [&] { return probing.counts().lost == 100 && probing.counts().corrupt == 100; });
  EXPECT_TRUE(probing.samples.empty());
  EXPECT_EQ(Loss(probing.counts()), 1);
}

TEST_F(MischiefTest, ARequestSentBackIsNoReply) {
  Peer mirror(io_,
              [](Peer& self, Bytes bytes, const udp::endpoint& from) { self.Send(bytes, from); });
  Probing probing(io_, Impatient());
  SendProbes(probing, mirror.address(), 20);
  RunUntil(io_, [&] { return probing.counts().lost == 20 && probing.counts().corrupt == 20; });
  EXPECT_TRUE(probing.samples.empty());
}

// The reply to the first packet comes after its time-out, just before the second one's.
TEST_F(MischiefTest, ALateReplyIsNotASampleOfAnotherPacket) {
  constexpr milliseconds kHeld{30};
  std::vector<ProbePacket> replies;
  Peer late(io_, [&](Peer& self, Bytes bytes, const udp::endpoint& from) {
    replies.push_back(ReplyTo(bytes));
    if (replies.size() != 2) return;
    self.Send(Encode(replies[0]), from);
    std::this_thread::sleep_for(kHeld);
    self.Send(Encode(replies[1]), from);
  });
  Probing probing(io_, {seconds(1), milliseconds(400), 1});
  probing.prober.SetPeer("peer", late.address());
  RunUntil(io_, [&] { return probing.counts().answered == 1; });
  EXPECT_EQ(probing.counts().late, 1u);
  EXPECT_EQ(probing.counts().lost, 1u);
  EXPECT_EQ(probing.losses["peer"], 1);
  ASSERT_EQ(probing.samples.size(), 1u);
  EXPECT_EQ(probing.samples[0].token, replies.at(1).token);
  EXPECT_GE(probing.samples[0].rtt, kHeld - milliseconds(1));
}

TEST_F(MischiefTest, AReplyWithOneWrongNumberIsAStray) {
  int count = 0;
  Peer wrong(io_, [&](Peer& self, Bytes bytes, const udp::endpoint& from) {
    ProbePacket reply = ReplyTo(bytes);
    switch (count++ % 3) {
      case 0:
        ++reply.token;
        break;
      case 1:
        ++reply.sender;
        break;
      default:
        reply.sequence += 1'000'000;
        break;
    }
    self.Send(Encode(reply), from);
  });
  Probing probing(io_, Impatient());
  SendProbes(probing, wrong.address(), 60);
  RunUntil(io_, [&] { return probing.counts().lost == 60 && probing.counts().stray == 60; });
  EXPECT_TRUE(probing.samples.empty());
}

TEST_F(MischiefTest, AReplyFromAnotherAddressIsAStray) {
  Peer other(io_, [](Peer&, Bytes, const udp::endpoint&) {});
  Peer asked(io_, [&](Peer&, Bytes bytes, const udp::endpoint& from) {
    other.Send(Encode(ReplyTo(bytes)), from);
  });
  Probing probing(io_, Impatient());
  SendProbes(probing, asked.address(), 20);
  RunUntil(io_, [&] { return probing.counts().lost == 20 && probing.counts().stray == 20; });
  EXPECT_TRUE(probing.samples.empty());
}

// Two agents on one host whose numbers are all the same: the replies to one reach the other too.
TEST_F(MischiefTest, AnotherAgentsRepliesDoNotBringADeadPeerToLife) {
  udp::endpoint of_dead;
  Peer dead(io_, [&](Peer&, Bytes, const udp::endpoint& from) { of_dead = from; });
  Peer alive(io_, [&](Peer& self, Bytes bytes, const udp::endpoint& from) {
    self.Send(Encode(ReplyTo(bytes)), from);
    if (of_dead.port() != 0) self.Send(Encode(ReplyTo(bytes)), of_dead);
  });
  Probing to_dead(io_, Impatient(), 5);
  Probing to_alive(io_, Patient(), 5);
  SendProbes(to_dead, dead.address(), 1);
  to_dead.prober.SetPeer("peer", dead.address());
  SendProbes(to_alive, alive.address(), 200);
  RunUntil(io_, [&] { return to_alive.counts().answered == 200; });
  to_dead.prober.RemovePeer("peer");
  RunUntil(io_, [&] { return to_dead.counts().lost == to_dead.counts().sent; });
  EXPECT_TRUE(to_dead.samples.empty());
  EXPECT_GT(to_dead.counts().stray, 0u);
  EXPECT_EQ(Loss(to_dead.counts()), 1);
}

}  // namespace
}  // namespace leadline

#include "leadline/probe/echo_responder.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "probe-agent/loopback.h"

namespace leadline {
namespace {

using loopback::Peer;
using loopback::RunUntil;

class EchoResponderTest : public ::testing::Test {
 protected:
  EchoResponderTest() {
    const auto listening = responder_.Listen(loopback::AnyPort());
    EXPECT_TRUE(listening) << listening.error().message();
  }

  static ProbePacket Request(std::uint32_t sequence) {
    ProbePacket request;
    request.sender = 7;
    request.sequence = sequence;
    request.token = 0xfeedfacecafebeef;
    return request;
  }

  void Send(std::span<const std::uint8_t> bytes) { asker_.Send(bytes, responder_.local()); }

  // What comes back first for a request of that number; all earlier packets are done with by then.
  std::vector<std::uint8_t> Ask(std::uint32_t sequence) {
    const std::size_t before = answers_.size();
    Send(Encode(Request(sequence)));
    RunUntil(io_, [&] { return answers_.size() > before; });
    return answers_.at(before);
  }

  boost::asio::io_context io_;
  EchoResponder responder_{io_};
  std::vector<std::vector<std::uint8_t>> answers_;
  Peer asker_{io_, [this](Peer&, std::span<const std::uint8_t> bytes, const auto&) {
                answers_.emplace_back(bytes.begin(), bytes.end());
              }};
};

TEST_F(EchoResponderTest, AnswersARequestWithItsOwnNumbersAndSize) {
  const auto reply = Decode(Ask(3));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, ProbePacket::Kind::kReply);
  EXPECT_EQ(reply->sender, 7u);
  EXPECT_EQ(reply->sequence, 3u);
  EXPECT_EQ(reply->token, 0xfeedfacecafebeefu);
  EXPECT_EQ(responder_.counts().answered, 1u);
}

TEST_F(EchoResponderTest, NeverAnswersAReply) {
  ProbePacket reply = Request(1);
  reply.kind = ProbePacket::Kind::kReply;
  Send(Encode(reply));
  EXPECT_EQ(Decode(Ask(2))->sequence, 2u);
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_EQ(responder_.counts().refused, 1u);
}

TEST_F(EchoResponderTest, AnswersNothingElseWhateverItsSize) {
  std::vector<std::uint8_t> bytes(100, 'x');
  const ProbeBytes request = Encode(Request(1));
  std::copy(request.begin(), request.end(), bytes.begin());
  std::uint64_t others = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    if (size == kProbePacketSize) continue;
    Send(std::span(bytes).first(size));
    RunUntil(io_, [&] { return responder_.counts().refused == others + 1; });
    ++others;
  }
  EXPECT_EQ(Decode(Ask(2))->sequence, 2u);
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_EQ(responder_.counts().refused, others);
}

TEST_F(EchoResponderTest, AnAlteredRequestIsNotAnswered) {
  ProbeBytes request = Encode(Request(1));
  request[20] ^= 1;
  Send(request);
  EXPECT_EQ(Decode(Ask(2))->sequence, 2u);
  EXPECT_EQ(responder_.counts().refused, 1u);
}

// The kernel starts to stamp a moment after it was asked to, hence the attempts.
TEST_F(EchoResponderTest, TellsHowLongItHeldTheRequest) {
  constexpr std::chrono::milliseconds kHeld{20};
  std::chrono::nanoseconds told{0};
  for (std::uint32_t attempt = 0; attempt < 50 && told < kHeld; ++attempt) {
    const std::size_t before = answers_.size();
    Send(Encode(Request(attempt)));
    std::this_thread::sleep_for(kHeld);
    RunUntil(io_, [&] { return answers_.size() > before; });
    told = std::chrono::nanoseconds(Decode(answers_.back())->turnaround_ns);
  }
  EXPECT_GE(told, kHeld);
}

TEST_F(EchoResponderTest, SaysWhichAddressIsTaken) {
  EchoResponder second(io_);
  const auto listening = second.Listen(responder_.local());
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error().code(), ErrorCode::kUnavailable);
  EXPECT_NE(listening.error().message().find("127.0.0.1"), std::string::npos);
}

}  // namespace
}  // namespace leadline

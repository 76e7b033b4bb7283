#include "leadline/probe/packet.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace leadline {
namespace {

ProbePacket Example() {
  ProbePacket packet;
  packet.kind = ProbePacket::Kind::kReply;
  packet.sender = 0x01020304;
  packet.sequence = 0xa0b0c0d0;
  packet.token = 0x1122334455667788;
  packet.turnaround_ns = std::numeric_limits<std::uint32_t>::max();
  return packet;
}

TEST(ProbePacket, ComesBackWhole) {
  const auto decoded = Decode(Encode(Example()));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->kind, ProbePacket::Kind::kReply);
  EXPECT_EQ(decoded->sender, 0x01020304u);
  EXPECT_EQ(decoded->sequence, 0xa0b0c0d0u);
  EXPECT_EQ(decoded->token, 0x1122334455667788u);
  EXPECT_EQ(decoded->turnaround_ns, std::numeric_limits<std::uint32_t>::max());
}

// Agents of two versions meet during an upgrade: the bytes are a promise.
TEST(ProbePacket, HasTheDocumentedBytes) {
  const ProbeBytes bytes = Encode(Example());
  const ProbeBytes wanted = {'L',  'L',  'P',  'R',  1,    2,    0,    0,    1,    2,    3,
                             4,    0xa0, 0xb0, 0xc0, 0xd0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
                             0x77, 0x88, 0xff, 0xff, 0xff, 0xff, 0x49, 0xb8, 0xbe, 0x3d};
  EXPECT_EQ(bytes, wanted);
}

TEST(ProbePacket, AnyAlteredBitIsRefused) {
  for (std::size_t at = 0; at < kProbePacketSize; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      ProbeBytes bytes = Encode(Example());
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1 << bit));
      EXPECT_FALSE(Decode(bytes)) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(ProbePacket, OnlyTheExactSizeIsAccepted) {
  const ProbeBytes bytes = Encode(Example());
  std::vector<std::uint8_t> longer(bytes.begin(), bytes.end());
  for (std::size_t size = 0; size < kProbePacketSize; ++size) {
    EXPECT_FALSE(Decode(std::span(longer).first(size))) << size;
  }
  longer.push_back(0);
  EXPECT_FALSE(Decode(longer));
}

}  // namespace
}  // namespace leadline

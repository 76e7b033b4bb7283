// The probe packet on the wire (docs/probing.md): 32 bytes, network byte order.
//
//   0  magic "LLPR"          16  token, 64 bits
//   4  version, kind         24  turnaround in nanoseconds (replies; else 0)
//   6  reserved (0)          28  CRC-32 over bytes 0..27
//   8  sender id, 32 bits
//  12  sequence, 32 bits
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace leadline {

inline constexpr std::size_t kProbePacketSize = 32;
using ProbeBytes = std::array<std::uint8_t, kProbePacketSize>;

struct ProbePacket {
  enum class Kind : std::uint8_t { kRequest = 1, kReply = 2 };
  Kind kind = Kind::kRequest;
  std::uint32_t sender = 0;         // random at start; tells two agents on one host apart
  std::uint32_t sequence = 0;       // of that sender
  std::uint64_t token = 0;          // random; a reply must bring it back
  std::uint32_t turnaround_ns = 0;  // how long the responder held the request; saturates at 4.29 s
};

ProbeBytes Encode(const ProbePacket& packet);
// Empty for anything that is not a whole, unaltered packet of this version.
std::optional<ProbePacket> Decode(std::span<const std::uint8_t> bytes);

}  // namespace leadline

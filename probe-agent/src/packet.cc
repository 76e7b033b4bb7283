#include "leadline/probe/packet.h"

#include <zlib.h>

#include <boost/endian/conversion.hpp>

namespace leadline {
namespace {

namespace endian = boost::endian;

constexpr std::uint32_t kMagic = 0x4c4c5052;  // "LLPR"
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kCrcAt = 28;

std::uint32_t Crc(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(crc32(0, bytes, kCrcAt));
}

}  // namespace

ProbeBytes Encode(const ProbePacket& packet) {
  ProbeBytes bytes{};
  endian::store_big_u32(&bytes[0], kMagic);
  bytes[4] = kVersion;
  bytes[5] = static_cast<std::uint8_t>(packet.kind);
  endian::store_big_u32(&bytes[8], packet.sender);
  endian::store_big_u32(&bytes[12], packet.sequence);
  endian::store_big_u64(&bytes[16], packet.token);
  endian::store_big_u32(&bytes[24], packet.turnaround_ns);
  endian::store_big_u32(&bytes[kCrcAt], Crc(bytes.data()));
  return bytes;
}

std::optional<ProbePacket> Decode(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != kProbePacketSize) return std::nullopt;
  const std::uint8_t* at = bytes.data();
  const bool known_kind = at[5] == 1 || at[5] == 2;
  if (endian::load_big_u32(at) != kMagic || at[4] != kVersion || !known_kind ||
      endian::load_big_u32(at + kCrcAt) != Crc(at)) {
    return std::nullopt;
  }
  ProbePacket packet;
  packet.kind = static_cast<ProbePacket::Kind>(at[5]);
  packet.sender = endian::load_big_u32(at + 8);
  packet.sequence = endian::load_big_u32(at + 12);
  packet.token = endian::load_big_u64(at + 16);
  packet.turnaround_ns = endian::load_big_u32(at + 24);
  return packet;
}

}  // namespace leadline

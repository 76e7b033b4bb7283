// As much of IPv4 (RFC 791) and UDP (RFC 768) as the emulated link needs.
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <optional>
#include <span>

namespace leadline::netlab {

// In host byte order; empty for anything but a whole IPv4 header.
inline std::optional<std::uint32_t> Ipv4Destination(std::span<const std::uint8_t> packet) {
  if (packet.size() < 20 || packet[0] >> 4 != 4) return std::nullopt;
  return boost::endian::load_big_u32(&packet[16]);
}

// What an unfragmented IPv4 UDP packet carries; empty for all others.
inline std::span<const std::uint8_t> UdpPayload(std::span<const std::uint8_t> packet) {
  constexpr std::uint8_t kUdp = 17;
  if (!Ipv4Destination(packet) || packet[9] != kUdp) return {};
  const bool fragment = (boost::endian::load_big_u16(&packet[6]) & 0x3fff) != 0;
  const std::size_t header = std::size_t{4} * (packet[0] & 0x0f);
  if (fragment || header < 20 || packet.size() < header + 8) return {};
  return packet.subspan(header + 8);
}

}  // namespace leadline::netlab

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "leadline/probe/peer.h"

namespace leadline {
namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> ParseAddress(std::string_view text) {
  boost::system::error_code error;
  const auto address = ip::make_address(std::string(text), error);
  if (error) return std::nullopt;
  return address;
}

std::optional<std::uint16_t> ParsePort(std::string_view digits) {
  std::uint16_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || at != end || port == 0) return std::nullopt;
  return port;
}

}  // namespace

Result<ip::udp::endpoint> ParsePeerAddress(std::string_view text) {
  if (const auto alone = ParseAddress(text)) return ip::udp::endpoint(*alone, kProbePort);
  const Error wrong(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\": expected ADDRESS or ADDRESS:PORT, as 10.0.0.1:7946 or "
                                "[fd00::1]:7946",
                                text));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const auto address = ParseAddress(host);
  const auto port = ParsePort(text.substr(colon + 1));
  if (!address || !port || address->is_v6() != brackets) return wrong;
  return ip::udp::endpoint(*address, *port);
}

}  // namespace leadline

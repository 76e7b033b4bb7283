#include <boost/asio/ip/address.hpp>
#include <charconv>

#include "leadline/http/server.h"

namespace leadline {
namespace {

Error Wrong(std::string_view address, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument, "address \"" + std::string(address.substr(0, 100)) +
                                                "\": " + std::string(why) +
                                                "; expected HOST:PORT, [V6]:PORT or :PORT");
}

// Zero is a port too: any free one.
bool ParsePort(std::string_view text, std::uint16_t& port) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<HttpServerOptions> ParseHttpAddress(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) {
    return Wrong(address, "no port");
  }
  HttpServerOptions options;
  if (!ParsePort(address.substr(colon + 1), options.port)) {
    return Wrong(address, "the port must be a number from 0 to 65535");
  }
  std::string_view host = address.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return Wrong(address, "an IPv6 address needs brackets");
  }
  if (host.empty() && !bracketed) {
    options.host = "::";
    return options;
  }
  if (host == "localhost") {
    options.host = "127.0.0.1";
    return options;
  }
  boost::system::error_code code;
  const auto parsed = boost::asio::ip::make_address(std::string(host), code);
  if (code || parsed.is_v6() != bracketed) {
    return Wrong(address, "the host must be an IP address or localhost");
  }
  options.host = parsed.to_string();
  return options;
}

}  // namespace leadline

#include <fmt/format.h>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "leadline/telemetry/prometheus_client.h"

namespace leadline {
namespace {

Error Wrong(std::string_view what) { return Error(ErrorCode::kInvalidArgument, std::string(what)); }

}  // namespace

Result<void> CheckPrometheusUrl(const std::string& url) {
  if (url.find("://") == std::string::npos) {
    return Wrong(fmt::format("http://HOST:PORT or https://HOST:PORT; write http://{}", url));
  }
  const auto parsed = boost::urls::parse_uri(url);
  if (!parsed) return Wrong("a URL such as http://HOST:PORT/PREFIX");
  if (parsed->scheme() != "http" && parsed->scheme() != "https") {
    return Wrong(fmt::format("http:// or https://, not {}://", std::string(parsed->scheme())));
  }
  if (parsed->host().empty()) return Wrong("a URL with a host, such as http://HOST:PORT");
  if (parsed->has_userinfo()) return Wrong("a URL without user name; write it under basic_auth");
  if (parsed->has_query() || parsed->has_fragment()) {
    return Wrong("a URL without query; write parameters under parameters");
  }
  return {};
}

}  // namespace leadline

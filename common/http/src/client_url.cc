#include "client_url.h"

#include "curl_handles.h"

namespace leadline {
namespace {

std::string Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) {
    return {};
  }
  const UniqueText owned(text);
  return text;
}

Error Wrong(std::string_view why) {
  return Error(ErrorCode::kInvalidArgument, "URL: " + std::string(why));
}

}  // namespace

Result<ClientUrl> PrepareUrl(const std::string& url, const std::string& server_name) {
  const UniqueUrl parsed(curl_url());
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
      CURLUE_OK) {
    return Wrong("cannot be read; it must start with http:// or https:// and name a host");
  }
  const std::string scheme = Part(parsed.get(), CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    return Wrong("must start with http:// or https://");
  }
  const std::string host = Part(parsed.get(), CURLUPART_HOST);
  const std::string port = Part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT);
  ClientUrl out{url, scheme + "://" + host + ":" + port, {}, {}};
  if (server_name.empty() || scheme != "https") {
    return out;
  }
  if (curl_url_set(parsed.get(), CURLUPART_HOST, server_name.c_str(), 0) != CURLUE_OK) {
    return Wrong("the server name to verify is not a host name");
  }
  out.connect_to = server_name + ":" + port + ":" + host + ":" + port;
  out.host = host + ":" + port;
  out.url = Part(parsed.get(), CURLUPART_URL);
  return out;
}

}  // namespace leadline

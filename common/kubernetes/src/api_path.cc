#include "api_path.h"

#include "leadline/kubernetes/api_client.h"

namespace leadline {

std::string PercentEncode(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query) {
  std::string out;
  for (const auto& [key, value] : query) {
    out += (out.empty() ? '?' : '&') + PercentEncode(key) + '=' + PercentEncode(value);
  }
  return out;
}

std::string ApiPath(std::string_view prefix, std::string_view namespace_name,
                    std::string_view resource, std::string_view name,
                    std::string_view subresource) {
  std::string out(prefix);
  if (!namespace_name.empty()) {
    out += "/namespaces/" + PercentEncode(namespace_name);
  }
  out += "/" + PercentEncode(resource);
  for (const std::string_view part : {name, subresource}) {
    if (!part.empty()) {
      out += "/" + PercentEncode(part);
    }
  }
  return out;
}

}  // namespace leadline

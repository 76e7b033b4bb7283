#include "leadline/http/client.h"
#include "leadline/http/server.h"

namespace leadline {
namespace {

std::string_view Find(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

}  // namespace

std::string_view HttpResponse::Header(std::string_view name) const { return Find(headers, name); }

std::string_view ServerRequest::Header(std::string_view name) const { return Find(headers, name); }

}  // namespace leadline

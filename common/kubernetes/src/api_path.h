#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leadline {

// RFC 3986: everything but unreserved characters in percent form.
std::string PercentEncode(std::string_view text);
// "?a=b&c=d", or nothing.
std::string QueryText(const std::vector<std::pair<std::string, std::string>>& query);

}  // namespace leadline

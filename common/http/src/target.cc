#include "leadline/http/target.h"

#include <algorithm>
#include <optional>

namespace leadline {
namespace {

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// In queries '+' means a space (application/x-www-form-urlencoded); in paths it is itself.
std::optional<std::string> Decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto high = HexDigit(text[i + 1]);
      const auto low = HexDigit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    }
  }
  return out;
}

Error Broken(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, "request target: " + std::string(what));
}

}  // namespace

Result<Target> ParseTarget(std::string_view text) {
  if (text.empty() || text.front() != '/') {
    return Broken("must start with /");
  }
  const std::size_t mark = text.find('?');
  const auto path = Decode(text.substr(0, mark), false);
  if (!path) {
    return Broken("broken percent sequence in the path");
  }
  Target target{*path, {}};
  std::string_view rest = mark == std::string_view::npos ? "" : text.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = pair.find('=');
    const auto key = Decode(pair.substr(0, equals), true);
    const auto value =
        Decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1), true);
    if (!key || !value) {
      return Broken("broken percent sequence in the query");
    }
    target.query.emplace_back(*key, *value);
  }
  return target;
}

}  // namespace leadline

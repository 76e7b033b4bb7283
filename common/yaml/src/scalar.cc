// Scalars: what is a number, a truth value, a duration.
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "value.h"

namespace leadline {
namespace {

// YAML 1.1 reads 010 as eight; nobody who writes it knows which is meant.
bool HasLeadingZero(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

template <typename T>
bool ParseWhole(std::string_view text, T* out) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *out);
  return error == std::errc() && stop == end && !text.empty();
}

double UnitSeconds(std::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us" || unit == "\u00b5s") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s") return 1;
  if (unit == "m") return 60;
  if (unit == "h") return 3600;
  return 0;
}

}  // namespace

Result<std::chrono::nanoseconds> ParseGoDuration(std::string_view text) {
  const Error wrong(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\" is not a duration such as 500ms, 10s or 1m30s", text));
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return wrong;
  double nanoseconds = 0;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    double number = 0;
    if (!ParseWhole(text.substr(0, digits), &number)) return wrong;
    text.remove_prefix(digits);
    const std::size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    const double unit = UnitSeconds(text.substr(0, letters));
    if (unit == 0) return wrong;
    text.remove_prefix(letters);
    nanoseconds += number * unit * 1e9;
  }
  if (nanoseconds > 9.2e18) return wrong;
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

bool YamlNode::ReadScalar(std::string_view expected, const std::string** text) const {
  if (!exists()) return false;
  if (!IsScalar()) {
    Expected(expected);
    return false;
  }
  *text = &value_->scalar;
  return true;
}

bool YamlNode::Read(std::string* out) const {
  const std::string* text = nullptr;
  if (!ReadScalar("a text", &text)) return false;
  *out = *text;
  return true;
}

bool YamlNode::Require(std::string* out) const {
  if (Read(out) && !out->empty()) return true;
  if (!exists() || IsScalar()) Expected("a text (this key is required)");
  return false;
}

bool YamlNode::Read(bool* out) const {
  const std::string* text = nullptr;
  if (!ReadScalar("true or false", &text)) return false;
  const bool is_true = *text == "true", is_false = *text == "false";
  if (value_->quoted || (!is_true && !is_false)) {
    Expected("true or false");
    return false;
  }
  *out = is_true;
  return true;
}

bool YamlNode::ReadNumber(double* out, std::string_view expected) const {
  const std::string* text = nullptr;
  if (!ReadScalar(expected, &text)) return false;
  if (HasLeadingZero(*text) || !ParseWhole(*text, out) || !std::isfinite(*out)) {
    Expected(expected);
    return false;
  }
  return true;
}

bool YamlNode::Read(double* out, double min, double max) const {
  const std::string expected = std::isinf(min) && std::isinf(max)
                                   ? std::string("a number")
                                   : fmt::format("a number from {} to {}", min, max);
  double value = 0;
  if (!ReadNumber(&value, expected)) return false;
  if (value < min || value > max) {
    Expected(expected);
    return false;
  }
  *out = value;
  return true;
}

bool YamlNode::Read(std::int64_t* out, std::int64_t min, std::int64_t max) const {
  const std::string expected = max == std::numeric_limits<std::int64_t>::max() && min == -max - 1
                                   ? std::string("a whole number")
                                   : fmt::format("a whole number from {} to {}", min, max);
  const std::string* text = nullptr;
  if (!ReadScalar(expected, &text)) return false;
  std::int64_t value = 0;
  if (HasLeadingZero(*text) || !ParseWhole(*text, &value)) {
    double number = 0;
    // Exponents are exact below 2^53, and nobody means more with them.
    if (!ReadNumber(&number, expected)) return false;
    if (number != std::floor(number) || std::abs(number) > 0x1p53) {
      Expected(expected);
      return false;
    }
    value = static_cast<std::int64_t>(number);
  }
  if (value < min || value > max) {
    Expected(expected);
    return false;
  }
  *out = value;
  return true;
}

bool YamlNode::Read(int* out, int min, int max) const {
  std::int64_t value = 0;
  if (!Read(&value, std::int64_t{min}, std::int64_t{max})) return false;
  *out = static_cast<int>(value);
  return true;
}

bool YamlNode::Read(std::chrono::nanoseconds* out) const {
  constexpr std::string_view kExpected = "a duration such as 500ms, 10s or 1m30s";
  const std::string* text = nullptr;
  if (!ReadScalar(kExpected, &text)) return false;
  const auto duration = ParseGoDuration(*text);
  if (!duration) {
    Expected(kExpected);
    return false;
  }
  *out = *duration;
  return true;
}

bool YamlNode::Read(std::vector<std::string>* out) const {
  if (!exists()) return false;
  if (!IsSequence()) {
    Expected("a list of texts");
    return false;
  }
  std::vector<std::string> texts;
  for (const YamlNode& item : Items()) {
    std::string text;
    if (!item.Read(&text)) {
      if (!item.exists()) item.Expected("a text");
      return false;
    }
    texts.push_back(std::move(text));
  }
  *out = std::move(texts);
  return true;
}

}  // namespace leadline

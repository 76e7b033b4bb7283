#include "leadline/exporter/exposition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace leadline {
namespace {

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Go's 'g' with shortest digits (strconv.FormatFloat).
bool GoWritesExponent(int exponent) { return exponent < -4 || exponent >= 6; }

std::string Escape(std::string_view text, bool quotes) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string FormatMetricValue(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 40> text;
  auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::scientific).ptr;
  const std::string_view scientific(text.data(), end - text.data());
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  if (GoWritesExponent(exponent)) return std::string(scientific);
  end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed).ptr;
  return std::string(text.data(), end);
}

std::string EscapeHelp(std::string_view text) { return Escape(text, false); }
std::string EscapeLabelValue(std::string_view text) { return Escape(text, true); }

bool IsLabelName(std::string_view name) {
  return !name.empty() && !IsDigit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsAlpha(c) || IsDigit(c); });
}

bool IsMetricName(std::string_view name) {
  std::string without_colons(name);
  std::replace(without_colons.begin(), without_colons.end(), ':', '_');
  return IsLabelName(without_colons);
}

}  // namespace leadline

#include "leadline/base/go_duration.h"

#include <cstdint>

#include <fmt/format.h>

namespace leadline {

std::string FormatGoDuration(Duration span) {
  const std::int64_t nanos = span.count();
  if (nanos < 0) return "-" + FormatGoDuration(-span);
  // Units of `unit` nanoseconds, 10^digits of them, with no zeros at the end.
  const auto decimal = [](std::int64_t count, std::int64_t unit, int digits) {
    std::string text = std::to_string(count / unit);
    if (count % unit == 0) return text;
    text += fmt::format(".{:0{}}", count % unit, digits);
    return text.substr(0, text.find_last_not_of('0') + 1);
  };
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return std::to_string(nanos) + "ns";
  if (nanos < 1'000'000) return decimal(nanos, 1'000, 3) + "\u00b5s";
  if (nanos < 1'000'000'000) return decimal(nanos, 1'000'000, 6) + "ms";
  constexpr std::int64_t kMinute = 60'000'000'000;
  std::string text;
  const std::int64_t minutes = nanos / kMinute;
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + decimal(nanos % kMinute, 1'000'000'000, 9) + "s";
}

}  // namespace leadline

#include "rfc3339.h"

#include <charconv>

namespace leadline {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Takes `width` digits; false when they are not there.
bool TakeNumber(std::string_view* text, std::size_t width, int* number) {
  if (text->size() < width) return false;
  const char* end = text->data() + width;
  const auto [stop, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc() || stop != end || *number < 0) return false;
  text->remove_prefix(width);
  return true;
}

bool TakeChar(std::string_view* text, char expected) {
  if (text->empty() || (text->front() | 0x20) != (expected | 0x20)) return false;
  text->remove_prefix(1);
  return true;
}

Duration TakeFraction(std::string_view* text) {
  std::int64_t nanos = 0;
  std::int64_t unit = 100'000'000;
  while (!text->empty() && text->front() >= '0' && text->front() <= '9') {
    nanos += (text->front() - '0') * unit;
    unit /= 10;
    text->remove_prefix(1);
  }
  return Duration(nanos);
}

std::optional<minutes> TakeOffset(std::string_view text) {
  if (text == "Z" || text == "z") return minutes(0);
  const bool east = !text.empty() && text.front() == '+';
  if (!east && (text.empty() || text.front() != '-')) return std::nullopt;
  text.remove_prefix(1);
  int hour = 0;
  int minute = 0;
  if (!TakeNumber(&text, 2, &hour) || !TakeChar(&text, ':') || !TakeNumber(&text, 2, &minute) ||
      !text.empty()) {
    return std::nullopt;
  }
  const minutes offset = hours(hour) + minutes(minute);
  return east ? offset : -offset;
}

}  // namespace

std::optional<SystemTime> ParseRfc3339(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool read =
      TakeNumber(&text, 4, &year) && TakeChar(&text, '-') && TakeNumber(&text, 2, &month) &&
      TakeChar(&text, '-') && TakeNumber(&text, 2, &day) && TakeChar(&text, 'T') &&
      TakeNumber(&text, 2, &hour) && TakeChar(&text, ':') && TakeNumber(&text, 2, &minute) &&
      TakeChar(&text, ':') && TakeNumber(&text, 2, &second);
  // Years that fit 64-bit nanoseconds.
  if (!read || year < 1700 || year > 2200 || hour > 23 || minute > 59 || second > 60) return {};
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  Duration fraction{0};
  if (TakeChar(&text, '.')) fraction = TakeFraction(&text);
  const auto offset = TakeOffset(text);
  if (!offset) return std::nullopt;
  return SystemTime(std::chrono::sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) +
         fraction - *offset;
}

}  // namespace leadline

#include "leadline/base/clock.h"

#include <cmath>
#include <ctime>

#include <fmt/format.h>

namespace leadline {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::time_t kManualStart = 1767225600;  // 2026-01-01T00:00:00Z

class RealClock : public Clock {
 public:
  SystemTime Now() const override { return std::chrono::system_clock::now(); }
  SteadyTime SteadyNow() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace

const Clock& Clock::Real() {
  static const RealClock clock;
  return clock;
}

SystemTime ManualClock::Now() const {
  const std::lock_guard lock(mutex_);
  return SystemTime(seconds(kManualStart)) + elapsed_;
}

SteadyTime ManualClock::SteadyNow() const {
  const std::lock_guard lock(mutex_);
  return SteadyTime(seconds(1)) + elapsed_;
}

void ManualClock::Advance(Duration step) {
  const std::lock_guard lock(mutex_);
  elapsed_ += step;
}

double ToUnixSeconds(SystemTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

SystemTime FromUnixSeconds(double unix_seconds) {
  return SystemTime(
      duration_cast<SystemTime::duration>(std::chrono::duration<double>(unix_seconds)));
}

std::string FormatRfc3339(SystemTime time, int fraction_digits) {
  const auto whole = std::chrono::floor<seconds>(time);
  const std::time_t unix_time = whole.time_since_epoch().count();
  std::tm utc{};
  gmtime_r(&unix_time, &utc);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", utc.tm_year + 1900,
                                 utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
  if (fraction_digits > 0) {
    const std::string nanos =
        fmt::format("{:09}", duration_cast<nanoseconds>(time - whole).count());
    text += '.' + nanos.substr(0, static_cast<std::size_t>(fraction_digits));
  }
  return text + 'Z';
}

}  // namespace leadline

// Time as a seam, so that a test can move it.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace leadline {

using SystemTime = std::chrono::system_clock::time_point;
using SteadyTime = std::chrono::steady_clock::time_point;
using Duration = std::chrono::nanoseconds;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall clock, UTC; for time stamps that people and other programs read. It may jump.
  virtual SystemTime Now() const = 0;
  // Monotonic; for measuring and for deadlines.
  virtual SteadyTime SteadyNow() const = 0;

  // The machine's clock. Lives for the whole program.
  static const Clock& Real();
};

// Stands still until told to move. Starts at 2026-01-01T00:00:00Z.
class ManualClock : public Clock {
 public:
  SystemTime Now() const override;
  SteadyTime SteadyNow() const override;
  void Advance(Duration step);

 private:
  mutable std::mutex mutex_;
  Duration elapsed_{0};
};

// Seconds since 1970 as a floating point number, as Prometheus writes time.
double ToUnixSeconds(SystemTime time);
SystemTime FromUnixSeconds(double seconds);

// RFC 3339 in UTC: "2026-12-01T10:00:00Z", or with `fraction_digits` (0 to 9) of a second.
std::string FormatRfc3339(SystemTime time, int fraction_digits = 0);

}  // namespace leadline

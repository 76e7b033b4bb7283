// What was measured of one peer lately.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "leadline/base/clock.h"

namespace leadline {

struct RttSummary {
  std::size_t answered = 0;
  std::size_t lost = 0;
  double mean_seconds = 0;  // the rest is 0 when nothing was answered
  double p50_seconds = 0;
  double p99_seconds = 0;

  std::size_t probes() const { return answered + lost; }
  // Between 0 and 1; empty before the first probe has ended.
  std::optional<double> LossRatio() const;
};

// The probes that ended within the last `length`. Not thread-safe.
class RttWindow {
 public:
  explicit RttWindow(std::chrono::nanoseconds length) : length_(length) {}

  void AddAnswer(SteadyTime now, std::chrono::nanoseconds rtt);
  void AddLoss(SteadyTime now);
  RttSummary Summarize(SteadyTime now);
  // RFC 3550, section 6.4.1, on round trips: mean deviation, smoothed by 1/16; over all time.
  double jitter_seconds() const { return jitter_; }

 private:
  struct Probe {
    SteadyTime ended;
    double seconds;  // negative: lost
  };
  void Add(SteadyTime now, double seconds);
  void Expire(SteadyTime now);

  std::chrono::nanoseconds length_;
  std::deque<Probe> probes_;
  std::optional<double> last_;
  double jitter_ = 0;
};

}  // namespace leadline

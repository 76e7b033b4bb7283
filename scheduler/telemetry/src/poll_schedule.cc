#include "poll_schedule.h"

#include <algorithm>

namespace leadline {
namespace {

bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kInvalidArgument || code == ErrorCode::kPermissionDenied ||
         code == ErrorCode::kNotFound;
}

}  // namespace

PollSchedule::PollSchedule(const MetricsConfig& config, std::uint64_t seed)
    : interval_(config.interval),
      pause_(std::max(config.pause_after_refusal, config.interval)),
      max_backoff_(std::max(config.max_backoff, config.interval)),
      backoff_(config.interval),
      rng_(seed) {}

Duration PollSchedule::AfterSuccess() {
  backoff_ = interval_;
  return interval_;
}

Duration PollSchedule::AfterError(ErrorCode code) {
  if (IsRefusal(code)) return pause_;
  backoff_ = std::min(backoff_ * 2, max_backoff_);
  return std::chrono::duration_cast<Duration>(backoff_ * (1 - 0.2 * rng_.Uniform()));
}

}  // namespace leadline

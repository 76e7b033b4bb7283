#include "backoff_pods.h"

#include <algorithm>

namespace leadline {

SteadyTime BackoffPods::EndOf(SteadyTime failed, int failures) const {
  std::chrono::nanoseconds backoff = options_.initial_backoff;
  for (int i = 1; i < failures && backoff < options_.max_backoff; ++i) backoff *= 2;
  const auto nominal = (failed + std::min(backoff, options_.max_backoff)).time_since_epoch();
  // The window in which it nominally ends is waited for, too.
  return SteadyTime((nominal / options_.backoff_window + 1) * options_.backoff_window);
}

WaitingPod* BackoffPods::FirstEnded(SteadyTime now) const {
  for (const Pods* pods : {&rejected_, &others_}) {
    if (!pods->empty() && (*pods->begin())->backoff_end <= now) return *pods->begin();
  }
  return nullptr;
}

std::optional<SteadyTime> BackoffPods::NextEnd() const {
  std::optional<SteadyTime> next;
  for (const Pods* pods : {&rejected_, &others_}) {
    if (pods->empty()) continue;
    const SteadyTime end = (*pods->begin())->backoff_end;
    next = next ? std::min(*next, end) : end;
  }
  return next;
}

}  // namespace leadline

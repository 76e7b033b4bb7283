// Decorrelated jitter: each wait is drawn between the first and three times the last one.
#pragma once

#include <algorithm>
#include <chrono>

#include "leadline/base/rng.h"

namespace leadline {

// Not thread-safe.
class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;

  Backoff(Milliseconds first, Milliseconds most, std::uint64_t seed)
      : first_(first), most_(most), rng_(seed) {}

  Milliseconds Next() {
    const double low = static_cast<double>(first_.count());
    const double high = std::max(low, 3.0 * static_cast<double>(last_.count()));
    last_ = std::min(most_,
                     Milliseconds(static_cast<std::int64_t>(low + rng_.Uniform() * (high - low))));
    return last_;
  }
  void Reset() { last_ = Milliseconds(0); }

 private:
  const Milliseconds first_;
  const Milliseconds most_;
  Milliseconds last_{0};
  Rng rng_;
};

}  // namespace leadline

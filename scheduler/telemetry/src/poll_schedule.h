// When to ask again; private to the module.
#pragma once

#include "leadline/base/clock.h"
#include "leadline/base/error.h"
#include "leadline/base/rng.h"
#include "leadline/telemetry/metrics_config.h"

namespace leadline {

class PollSchedule {
 public:
  PollSchedule(const MetricsConfig& config, std::uint64_t seed);

  // From the start of one poll to the start of the next.
  Duration AfterSuccess();
  // Refused (wrong query, wrong credentials, wrong path): the long pause. Everything else: doubled
  // each time up to the longest, less a random tenth or two, so that schedulers do not march in
  // step.
  Duration AfterError(ErrorCode code);

 private:
  const Duration interval_;
  const Duration pause_;
  const Duration max_backoff_;
  Duration backoff_;
  Rng rng_;
};

}  // namespace leadline

// What telemetry measured, as the policy reads it.
#pragma once

#include <memory>
#include <vector>

#include "leadline/cache/cache.h"
#include "leadline/plugins/dqn_score.h"
#include "leadline/telemetry/metrics_poller.h"

namespace leadline {

// The nodes of the cache as telemetry wants to know them.
std::vector<NodeIdentity> NodeIdentities(const Cache& cache);

// Gives frozen usage from the poller's latest snapshot; without a poller nothing is known.
// Thread-safe.
class UsageReader {
 public:
  explicit UsageReader(const MetricsPoller* poller) : poller_(poller) {}

  UsageSnapshot Now() const;
  NodeUsage Of(const std::string& node) const;

 private:
  const MetricsPoller* poller_;
};

}  // namespace leadline

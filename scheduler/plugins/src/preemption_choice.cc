// Which of the nodes that could be cleared for a Pod.
#include <cstdint>
#include <limits>
#include <tuple>

#include "preemption_victims.h"

namespace leadline {
namespace {

// Every priority counts from zero, so that one victim of a negative priority is less than two.
std::int64_t SumOfPriorities(const Victims& victims) {
  std::int64_t sum = 0;
  for (const PodInfoPointer& pod : victims.pods) {
    sum += std::int64_t{pod->pod->Priority()} + std::numeric_limits<std::int32_t>::max() + 1;
  }
  return sum;
}

// When the longest running of the most important victims started.
SystemTime EarliestStart(const Victims& victims) {
  const int priority = victims.pods.front()->pod->Priority();
  SystemTime earliest = SystemTime::max();
  for (const PodInfoPointer& pod : victims.pods) {
    if (pod->pod->Priority() != priority) break;  // the most important come first
    earliest = std::min(earliest, pod->pod->status.start_time.value_or(SystemTime::max()));
  }
  return earliest;
}

// The smaller the better.
auto Harm(const PreemptionCandidate& candidate) {
  const Victims& victims = candidate.victims;
  return std::make_tuple(victims.violations, victims.pods.front()->pod->Priority(),
                         SumOfPriorities(victims), victims.pods.size());
}

}  // namespace

const PreemptionCandidate& LeastHarm(const std::vector<PreemptionCandidate>& candidates) {
  const PreemptionCandidate* best = &candidates.front();
  for (const PreemptionCandidate& candidate : candidates) {
    const auto harm = Harm(candidate), least = Harm(*best);
    if (harm > least) continue;
    if (harm < least || EarliestStart(candidate.victims) > EarliestStart(best->victims)) {
      best = &candidate;
    }
  }
  return *best;
}

}  // namespace leadline

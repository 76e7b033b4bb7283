#include "leadline/exporter/buckets.h"

namespace leadline {

std::vector<double> ExponentialBuckets(double start, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = start; static_cast<int>(bounds.size()) < count; bound *= factor) {
    bounds.push_back(bound);
  }
  return bounds;
}

namespace buckets {

std::vector<double> ExtensionPoint() { return ExponentialBuckets(0.0001, 2, 12); }
std::vector<double> NodeHint() { return ExponentialBuckets(0.00001, 2, 12); }
std::vector<double> PluginExecution() { return ExponentialBuckets(0.00001, 1.5, 20); }
std::vector<double> Attempts() { return ExponentialBuckets(1, 2, 5); }
std::vector<double> PodScheduling() { return ExponentialBuckets(0.01, 2, 20); }
std::vector<double> PreemptionVictims() { return ExponentialBuckets(1, 2, 7); }
std::vector<double> SchedulingAttempt() { return ExponentialBuckets(0.001, 2, 15); }
std::vector<double> RestClient() { return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}; }

}  // namespace buckets
}  // namespace leadline

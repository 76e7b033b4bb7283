// Histogram bounds. The named lists are kube-scheduler's, digit for digit, so that one query can
// add our buckets to its (k8s.io/component-base/metrics and pkg/scheduler/metrics, v1.37).
#pragma once

#include <vector>

namespace leadline {

// start, start * factor, ... (`count` bounds), by repeated multiplication as Go's client does it:
// the rounding errors are part of the bound.
std::vector<double> ExponentialBuckets(double start, double factor, int count);

namespace buckets {
std::vector<double> ExtensionPoint();     // 0.1 ms x 2^k, 12: extension points, event handling
std::vector<double> NodeHint();           // 10 us x 2^k, 12
std::vector<double> PluginExecution();    // 10 us x 1.5^k, 20: plugins, queueing hints
std::vector<double> Attempts();           // 1 x 2^k, 5: pod_scheduling_attempts
std::vector<double> PodScheduling();      // 10 ms x 2^k, 20: pod_scheduling_sli
std::vector<double> PreemptionVictims();  // 1 x 2^k, 7
std::vector<double> SchedulingAttempt();  // 1 ms x 2^k, 15: attempts, algorithm, permit wait
std::vector<double> RestClient();         // 5 ms to 60 s: rest_client_request_duration_seconds
}  // namespace buckets

}  // namespace leadline

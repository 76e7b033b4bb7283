#include "rest_metrics.h"

#include "leadline/exporter/buckets.h"

namespace leadline {

std::function<void(const ApiExchange&)> RestClientMetrics(Registry& registry) {
  CounterFamily& requests = registry.DeclareCounter(
      {"rest_client_requests_total",
       "Number of HTTP requests, partitioned by status code, method, and host.",
       {"code", "host", "method"}});
  HistogramFamily& durations =
      registry.DeclareHistogram({"rest_client_request_duration_seconds",
                                 "Request latency in seconds. Broken down by verb, and host.",
                                 {"host", "verb"}},
                                buckets::RestClient());
  return [&requests, &durations](const ApiExchange& exchange) {
    requests.With({exchange.code, exchange.host, exchange.method}).Increment();
    if (exchange.stream) return;  // its length is that of a watch
    const std::chrono::duration<double> took = exchange.duration;
    durations.With({exchange.host, exchange.method}).Observe(took.count());
  };
}

}  // namespace leadline

// The filters and the scorer as a kube-scheduler HTTP extender: `filter` and `prioritize`.
// https://github.com/kubernetes/design-proposals-archive/blob/main/scheduling/scheduler_extender.md
//
// Run it with `nodeCacheCapable: true`. An extender's prioritize errors are ignored silently by
// kube-scheduler, so they are counted here (leadline_extender_requests_total{result="error"}).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "leadline/cache/cache.h"
#include "leadline/exporter/registry.h"
#include "leadline/extender/extender_api.h"
#include "leadline/framework/framework.h"

namespace leadline {

class HttpServer;

// Runs on the server's io_context, on profiles of its own (a Framework serves one thread). It
// decides and never reserves, binds or learns.
class ExtenderServer {
 public:
  using Profiles = std::vector<std::unique_ptr<Framework>>;

  // `cache` and `registry` must outlive it. A Pod of no profile is judged by the first one.
  ExtenderServer(Profiles profiles, Cache& cache, Registry& registry);

  // POST /filter and /prioritize. Call before Listen(); must outlive the server.
  void Register(HttpServer& server);

  ExtenderFilterResult Filter(const ExtenderArgs& args);
  // One score from 0 to 10 for each node asked about; 0 for a node that is not known or not
  // feasible. Where the policy rather waits, or fails, all scores are equal.
  std::vector<std::pair<std::string, std::int64_t>> Prioritize(const ExtenderArgs& args);

 private:
  Framework& ProfileOf(const Pod& pod);
  std::string Answer(bool filter, const std::string& body, int* status);

  Profiles profiles_;
  Cache& cache_;
  CounterFamily& requests_;
};

}  // namespace leadline

// The pages that monitoring and the kubelet read.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leadline/base/result.h"
#include "leadline/exporter/registry.h"

namespace leadline {

class HttpServer;

// GET `path` answers with registry.Expose(). Both must outlive the server.
void RegisterMetricsRoutes(HttpServer& server, const Registry& registry,
                           std::string path = "/metrics");

// /livez, /readyz and /healthz (all checks), as Kubernetes components answer them
// (https://kubernetes.io/docs/reference/using-api/health-checks/): 200 "ok", or 500 with every
// check on a line of its own; `?verbose` always lists them, `?exclude=NAME` leaves one out, and
// /livez/NAME asks for one. Unlike Kubernetes' own, a failed check says why.
// Thread-safe. Checks run on the server's io_context and must not block.
class HealthRoutes {
 public:
  using Check = std::function<Result<void>()>;

  HealthRoutes();

  // Alive: restart me when this fails. Also part of readyz.
  void AddLiveCheck(std::string name, Check check);
  // Ready: send me nothing while this fails.
  void AddReadyCheck(std::string name, Check check);

  // Before server.Listen(). The routes keep what they need alive.
  void Register(HttpServer& server) const;

 private:
  struct Checks;
  std::shared_ptr<Checks> checks_;  // livez and readyz begin with "ping", which is always ok
};

}  // namespace leadline

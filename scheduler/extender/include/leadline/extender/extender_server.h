// The filters and the scorer as a kube-scheduler HTTP extender: `filter`, `prioritize`,
// `preempt` and `bind`.
// https://github.com/kubernetes/design-proposals-archive/blob/main/scheduling/scheduler_extender.md
//
// Run it with `nodeCacheCapable: true`. An extender's prioritize errors are ignored silently by
// kube-scheduler, so they are counted here (leadline_extender_requests_total{result="error"}).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "leadline/cache/cache.h"
#include "leadline/exporter/registry.h"
#include "leadline/extender/extender_api.h"
#include "leadline/framework/framework.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

class HttpServer;
struct ServerRequest;

// Who may call the verbs. With none of the first two everybody may.
struct ExtenderAccess {
  bool client_certificate = false;  // a certificate that the server's client CA signed, or
  std::string token_file;           // the bearer token that this file holds
  bool loopback = false;            // only this machine can reach the server

  bool Asked() const { return client_certificate || !token_file.empty(); }
};

// Runs on the server's io_context, on profiles of its own (a Framework serves one thread). It
// decides, never reserves or learns, and binds only what it is told to.
class ExtenderServer {
 public:
  using Profiles = std::vector<std::unique_ptr<Framework>>;
  // As ClusterWriter::Bind; of the Pod only the metadata is known.
  using Bind = std::function<void(std::shared_ptr<const Pod> pod, const std::string& node,
                                  std::function<void(Result<void>)> done)>;

  // `io` is the server's; it, `cache` and `registry` must outlive it. A Pod of no profile is
  // judged by the first one.
  ExtenderServer(boost::asio::io_context& io, Profiles profiles, Cache& cache, Bind bind,
                 ExtenderAccess access, Registry& registry);

  // POST /filter, /prioritize and /preempt, and /bind where not just anybody can ask for it. Call
  // before Listen(); must outlive the server.
  //
  // Whoever asks about nodes has found room on them. Where Filter() finds room on none, it may be
  // that the caller has heard of a change before us; kube-scheduler would then evict Pods that
  // need not go. So /filter judges again until it finds room or kCatchUp has passed.
  void Register(HttpServer& server);
  static constexpr std::chrono::milliseconds kCatchUp{250};

  ExtenderFilterResult Filter(const ExtenderArgs& args);
  // One score from 0 to 10 for each node asked about; 0 for a node that is not known or not
  // feasible. Where the policy rather waits, or fails, all scores are equal.
  std::vector<std::pair<std::string, std::int64_t>> Prioritize(const ExtenderArgs& args);
  // Those of the nodes asked about that would let the Pod in once their victims are gone, with
  // their victims as they were given: others the caller could not find. kInternal when there are
  // none, and some of them could not be judged.
  Result<ExtenderVictimsMap> Preempt(const ExtenderPreemptionArgs& args);

 private:
  // Answers with a body, or an Error: the caller's mistake.
  using Reply = std::function<void(Result<std::string>)>;
  Framework& ProfileOf(const Pod& pod);
  bool Allowed(const ServerRequest& request) const;
  using Verb = void (ExtenderServer::*)(const ServerRequest&, const Reply&);
  void Serve(HttpServer& server, const char* name, Verb verb);
  void OnFilter(const ServerRequest& request, const Reply& reply);
  using Clock = std::chrono::steady_clock;
  void FilterSince(Clock::time_point asked, std::shared_ptr<const ExtenderArgs> args,
                   const Reply& reply);
  void OnPrioritize(const ServerRequest& request, const Reply& reply);
  void OnPreempt(const ServerRequest& request, const Reply& reply);
  void OnBind(const ServerRequest& request, const Reply& reply);

  boost::asio::io_context& io_;
  Profiles profiles_;
  Cache& cache_;
  const Bind bind_;
  const ExtenderAccess access_;
  CounterFamily& requests_;
  Clock::time_point may_wait_from_;  // until then /filter refuses at once
};

}  // namespace leadline

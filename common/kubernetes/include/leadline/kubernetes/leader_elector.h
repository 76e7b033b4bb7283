// One leader among replicas, by a Lease; the algorithm of client-go's leader election
// (k8s.io/client-go/tools/leaderelection), so that both kinds may share one Lease.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/base/result.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

struct LeaderElectorOptions {
  std::string identity;  // differs between all replicas and all their lives: NewLeaderIdentity()
  std::string lease_namespace;
  std::string lease_name;
  // Who does not lead waits for so long after the last renewal that it saw. In the Lease it is in
  // whole seconds, rounded up.
  std::chrono::nanoseconds lease_duration{std::chrono::seconds(15)};
  // Who leads leads for so long after the last renewal that succeeded was sent; shorter than
  // lease_duration, which others count from a moment that cannot be earlier.
  std::chrono::nanoseconds renew_deadline{std::chrono::seconds(10)};
  // Between tries; less than renew_deadline / kLeaderJitter. Who does not lead waits up to
  // kLeaderJitter times as long.
  std::chrono::nanoseconds retry_period{std::chrono::seconds(2)};
  const Clock* clock = &Clock::Real();
};

inline constexpr double kLeaderJitter = 1.2;

// "HOST_UUID", another one at every call.
std::string NewLeaderIdentity();

// All run on the io_context, one at a time, and not after the elector's destructor has returned;
// what is not set is not called.
struct LeaderElectorHandlers {
  std::function<void()> on_started;  // leads now; once
  // Led, and does no longer, without having asked for it: the Lease was not renewed in time or is
  // somebody else's. Once; the election is over.
  std::function<void()> on_lost;
  std::function<void(const std::string& identity)> on_new_leader;  // first seen; may be ourselves
};

// Only this machine's monotonic clock counts: how long ago a change of the Lease was *seen* says
// whether it has run out, never the times written into it. So clocks may differ by any amount,
// only their rates must not. Writes carry the resourceVersion that was read.
//
// Where it differs from client-go: tries without leadership are at most 1.2 retry periods apart,
// not 2.2, and one is made when the Lease runs out, which bounds a takeover by lease_duration +
// 1.3 retry periods; a leader that sees another holder stops at once; a leader that was paused
// knows from its clock that it leads no more, before any request.
//
// Thread-safe. `io` and `api` must outlive it. Give it an ApiClient whose writes do not depend on
// IsLeader().
class LeaderElector {
 public:
  LeaderElector(boost::asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
                LeaderElectorHandlers handlers);
  ~LeaderElector();  // gives nothing up: the Lease runs out
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;

  void Start();

  // Whether what only a leader may do may be begun now: true only while nobody else can lead.
  // Lock-free; false from the moment that Release() is called.
  bool IsLeader() const;

  // Ends the election. A leader clears the Lease's holder, so that another need not wait for it to
  // run out; everything that it guards must have ended before. `done` runs once on the io_context
  // (unless the elector is destroyed first), with whether that was written; it takes renew_deadline
  // at most. on_lost is not called.
  void Release(std::function<void(bool released)> done);

  // For a health check: an Error while a Lease that ran out longer than `tolerance` ago has not
  // been noticed.
  Result<void> Check(std::chrono::nanoseconds tolerance) const;

  const LeaderElectorOptions& options() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace leadline

// One leader among several replicas, by a Lease that the leader keeps renewing.
// https://kubernetes.io/docs/concepts/architecture/leases/, k8s.io/client-go/tools/leaderelection
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

struct LeaderElectorOptions {
  std::string identity;  // of this replica; unique
  std::string lease_namespace;
  std::string lease_name;
  // How long a Lease holds that is not renewed: after its holder's death the others wait as long.
  std::chrono::nanoseconds lease_duration{std::chrono::seconds(15)};
  // A leader that could not renew for this long has lost; shorter than lease_duration.
  std::chrono::nanoseconds renew_deadline{std::chrono::seconds(10)};
  std::chrono::nanoseconds retry_period{std::chrono::seconds(2)};
  const Clock* clock = &Clock::Real();
};

// Called on the io_context; what is not set is not called.
struct LeaderElectorHandlers {
  std::function<void()> on_started;  // it leads
  std::function<void()> on_lost;     // it did, and no longer does; at most once, nothing follows
  std::function<void(const std::string& identity)> on_new_leader;  // somebody, this one included
};

// How long the Lease has been held is told by this machine's steady clock since it last saw the
// Lease change: clocks of other machines do not matter.
class LeaderElector {
 public:
  LeaderElector(boost::asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
                LeaderElectorHandlers handlers);
  ~LeaderElector();  // stops, and leaves the Lease to run out

  void Start();
  // Gives the Lease up if it holds it, so that another replica need not wait; `done` is called on
  // the io_context when that has been written, or failed.
  void Release(std::function<void()> done);

  // Whether it may act as the leader now: its last renewal is not older than the renew deadline,
  // whether or not the loss has been noticed. Thread-safe.
  bool IsLeader() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace leadline

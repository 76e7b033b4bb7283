// The steps of an election: Attempt -> (Write | Look -> (Write | create)) -> Won | Failed.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <optional>

#include "leadline/base/rng.h"
#include "leadline/http/call_gate.h"
#include "leadline/kubernetes/leader_elector.h"
#include "leadline/kubernetes/lease.h"

namespace leadline {

// All but Start(), Release(), Stop() and the const methods runs on the strand, through the gate:
// after Stop() nothing touches the API client.
class LeaderElector::Impl : public std::enable_shared_from_this<LeaderElector::Impl> {
 public:
  Impl(boost::asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
       LeaderElectorHandlers handlers);

  void Start();
  void Release(std::function<void(bool)> done);
  void Stop();
  bool IsLeader() const;
  Result<void> Check(std::chrono::nanoseconds tolerance) const;
  const LeaderElectorOptions& options() const { return options_; }

 private:
  using Answer = ApiResult<ApiResponse>;

  void Post(std::function<void()> step);
  void After(boost::asio::steady_timer& timer, std::chrono::nanoseconds delay,
             std::function<void()> step);
  void Send(std::string method, std::string body, std::function<void(const Answer&)> then);

  void Attempt();
  void Look();
  void OnSeen(const Answer& answer);
  void Observe(Lease lease, SteadyTime at);
  bool HeldByOther() const;
  LeaseRecord NextRecord() const;
  void Write(bool create, bool optimistic);
  void OnWritten(const Answer& answer, SteadyTime sent, bool optimistic);
  void Won(SteadyTime sent);
  void Failed(const std::string& why);
  void Lose(const std::string& why);

  void LookToRelease();
  void WriteRelease();
  void EndRelease(bool released);

  const boost::asio::strand<boost::asio::io_context::executor_type> strand_;
  ApiClient& api_;
  const LeaderElectorOptions options_;
  const LeaderElectorHandlers handlers_;
  const std::shared_ptr<CallGate> gate_ = std::make_shared<CallGate>();

  // May be read on any thread.
  std::atomic<bool> leading_{false};
  std::atomic<bool> releasing_{false};
  std::atomic<SteadyTime::rep> renewed_{0};  // when the last renewal that succeeded was sent

  boost::asio::steady_timer timer_;     // the next try
  boost::asio::steady_timer deadline_;  // of the renewal, or of the release
  Rng rng_;
  bool started_ = false;
  std::uint64_t epoch_ = 0;  // answers of an earlier one are ignored
  ApiClient::RequestId request_ = 0;
  std::optional<Lease> lease_;  // as last seen or written
  LeaseRecord observed_;
  SteadyTime observed_at_{};
  std::string last_problem_;
  std::function<void(bool)> on_released_;
};

}  // namespace leadline

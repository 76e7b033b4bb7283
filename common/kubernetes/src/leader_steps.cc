// What one try to get or keep the Lease does, and what comes of it.
#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "leader_elector_impl.h"

namespace leadline {

using std::chrono::nanoseconds;

void LeaderElector::Impl::Attempt() {
  // What was last seen is most likely still there: one request instead of two.
  if (lease_ && observed_.holder == options_.identity) return Write(false, true);
  Look();
}

void LeaderElector::Impl::Look() {
  Send("GET", {}, [this](const Answer& answer) { OnSeen(answer); });
}

void LeaderElector::Impl::OnSeen(const Answer& answer) {
  if (!answer) {
    const ApiError error = answer.error();
    if (error.code != ErrorCode::kNotFound) return Failed("reading it: " + error.message);
    lease_.emplace(options_.lease_namespace, options_.lease_name);
    observed_ = {};
    observed_at_ = {};
    return Write(true, false);
  }
  Result<Lease> lease = Lease::Parse(answer->body);
  if (!lease) return Failed(lease.error().message());
  Observe(std::move(*lease), options_.clock->SteadyNow());
  if (!HeldByOther()) return Write(false, false);
  if (leading_) return Lose(fmt::format("it is held by {}", observed_.holder));
  Failed({});
}

// Only a record that changed is news; its age counts from here.
void LeaderElector::Impl::Observe(Lease lease, SteadyTime at) {
  LeaseRecord record = lease.record();
  lease_ = std::move(lease);
  if (record == observed_ && observed_at_ != SteadyTime{}) return;
  const bool new_leader = record.holder != observed_.holder && !record.holder.empty();
  observed_ = std::move(record);
  observed_at_ = at;
  if (!new_leader) return;
  spdlog::info("leader election: {} leads", observed_.holder);
  if (handlers_.on_new_leader) handlers_.on_new_leader(observed_.holder);
}

bool LeaderElector::Impl::HeldByOther() const {
  if (observed_.holder.empty() || observed_.holder == options_.identity) return false;
  const nanoseconds valid = std::chrono::seconds(observed_.duration_seconds);
  return options_.clock->SteadyNow() < observed_at_ + valid;
}

LeaseRecord LeaderElector::Impl::NextRecord() const {
  const std::string now = FormatRfc3339(options_.clock->Now(), 6);
  LeaseRecord next = observed_;
  next.renew_time = now;
  // Rounded up: others must not wait for less than we go on.
  next.duration_seconds = std::chrono::ceil<std::chrono::seconds>(options_.lease_duration).count();
  if (observed_.holder == options_.identity) return next;
  next.holder = options_.identity;
  next.acquire_time = now;
  // Who makes the Lease takes it from nobody.
  if (observed_at_ != SteadyTime{}) ++next.transitions;
  return next;
}

void LeaderElector::Impl::Write(bool create, bool optimistic) {
  lease_->set_record(NextRecord());
  const SteadyTime sent = options_.clock->SteadyNow();
  Send(create ? "POST" : "PUT", lease_->Json(),
       [this, sent, optimistic](const Answer& answer) { OnWritten(answer, sent, optimistic); });
}

void LeaderElector::Impl::OnWritten(const Answer& answer, SteadyTime sent, bool optimistic) {
  if (!answer) {
    lease_.reset();
    if (optimistic) return Look();
    const ApiError error = answer.error();
    // Somebody else was faster, which the next look tells.
    const bool raced =
        error.code == ErrorCode::kConflict || error.code == ErrorCode::kAlreadyExists;
    return Failed(raced ? std::string() : "writing it: " + error.message);
  }
  Result<Lease> lease = Lease::Parse(answer->body);
  if (!lease) return Failed(lease.error().message());
  Observe(std::move(*lease), sent);
  Won(sent);
}

void LeaderElector::Impl::Won(SteadyTime sent) {
  last_problem_.clear();
  const nanoseconds left = sent + options_.renew_deadline - options_.clock->SteadyNow();
  if (left.count() <= 0) {
    // The answer took so long, or this process was paused, that it may have run out meanwhile.
    return leading_ ? Lose("the renewal came too late") : Attempt();
  }
  renewed_ = sent.time_since_epoch().count();
  After(deadline_, left, [this] {
    if (!IsLeader()) Lose("it was not renewed in time");
  });
  After(timer_, options_.retry_period, [this] { Attempt(); });
  if (leading_.exchange(true) || releasing_) return;
  if (handlers_.on_started) handlers_.on_started();
}

void LeaderElector::Impl::Failed(const std::string& why) {
  if (!why.empty() && why != last_problem_) {
    spdlog::warn("leader election: Lease {}/{}: {}", options_.lease_namespace, options_.lease_name,
                 why);
  }
  last_problem_ = why;
  if (leading_) {
    if (!IsLeader()) return Lose("it was not renewed in time");
    return After(timer_, options_.retry_period, [this] { Attempt(); });
  }
  // Spread, so that replicas do not try in step; and not later than it runs out.
  const double retry = static_cast<double>(options_.retry_period.count());
  const auto part = [&](double share) {
    return nanoseconds(static_cast<std::int64_t>(retry * share));
  };
  nanoseconds delay = part(1 + (kLeaderJitter - 1) * rng_.Uniform());
  if (HeldByOther()) {
    const nanoseconds left = observed_at_ + std::chrono::seconds(observed_.duration_seconds) -
                             options_.clock->SteadyNow();
    delay = std::min(delay, left + part(0.1 * rng_.Uniform()));
  }
  After(timer_, delay, [this] { Attempt(); });
}

void LeaderElector::Impl::Lose(const std::string& why) {
  if (releasing_) return;
  leading_ = false;
  ++epoch_;
  api_.Cancel(request_);
  timer_.cancel();
  deadline_.cancel();
  spdlog::error("leader election: the Lease {}/{} is lost: {}", options_.lease_namespace,
                options_.lease_name, why);
  if (handlers_.on_lost) handlers_.on_lost();
}

}  // namespace leadline

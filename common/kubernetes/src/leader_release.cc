// Giving the Lease back, so that another replica need not wait for it to run out.
#include <spdlog/spdlog.h>

#include "leader_elector_impl.h"

namespace leadline {

void LeaderElector::Impl::Release(std::function<void(bool)> done) {
  const bool before = releasing_.exchange(true);
  Post([this, before, done = std::move(done)]() mutable {
    if (before) return done(false);
    ++epoch_;  // a try under way ends unheard
    api_.Cancel(request_);
    timer_.cancel();
    deadline_.cancel();
    on_released_ = std::move(done);
    if (!leading_.exchange(false)) return EndRelease(false);
    After(deadline_, options_.renew_deadline, [this] { EndRelease(false); });
    LookToRelease();
  });
}

// A renewal that was just cancelled may have been carried out, so the version is read anew.
void LeaderElector::Impl::LookToRelease() {
  Send("GET", {}, [this](const Answer& answer) {
    if (!answer) return EndRelease(false);
    Result<Lease> lease = Lease::Parse(answer->body);
    if (!lease || lease->record().holder != options_.identity) return EndRelease(false);
    lease_ = std::move(*lease);
    WriteRelease();
  });
}

void LeaderElector::Impl::WriteRelease() {
  LeaseRecord record = lease_->record();
  record.holder.clear();
  record.duration_seconds = 1;  // as client-go: zero is no valid duration
  record.renew_time = record.acquire_time = FormatRfc3339(options_.clock->Now(), 6);
  lease_->set_record(record);
  Send("PUT", lease_->Json(), [this](const Answer& answer) {
    if (!answer && answer.error().code == ErrorCode::kConflict) return LookToRelease();
    EndRelease(static_cast<bool>(answer));
  });
}

void LeaderElector::Impl::EndRelease(bool released) {
  ++epoch_;
  api_.Cancel(request_);
  deadline_.cancel();
  if (released) {
    spdlog::info("leader election: the Lease {}/{} is released", options_.lease_namespace,
                 options_.lease_name);
  }
  on_released_(released);
}

}  // namespace leadline

#include "leadline/kubernetes/leader_elector.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <optional>
#include <random>
#include <utility>

#include <spdlog/spdlog.h>

#include "leadline/base/rng.h"
#include "leadline/http/call_gate.h"
#include "leadline/kubernetes/lease.h"

namespace leadline {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kApi = "/apis/coordination.k8s.io/v1";

}  // namespace

class LeaderElector::Impl : public std::enable_shared_from_this<LeaderElector::Impl> {
 public:
  Impl(asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
       LeaderElectorHandlers handlers)
      : strand_(asio::make_strand(io)),
        api_(api),
        options_(std::move(options)),
        handlers_(std::move(handlers)),
        timer_(strand_),
        rng_(std::random_device()()) {}

  void Start() {
    asio::post(strand_, [self = shared_from_this()] { self->Try(); });
  }
  void Release(std::function<void()> done) {
    asio::post(strand_, [self = shared_from_this(), done = std::move(done)]() mutable {
      self->GiveUp(std::move(done));
    });
  }
  void Stop() {
    gate_.Close();
    leads_until_ = 0;
    asio::post(strand_, [self = shared_from_this()] {
      self->ended_ = true;
      self->timer_.cancel();
    });
  }
  bool IsLeader() const { return Now() < leads_until_; }

 private:
  using Nanoseconds = std::int64_t;  // of the steady clock

  Nanoseconds Now() const { return options_.clock->SteadyNow().time_since_epoch().count(); }
  void Try();
  void OnSeen(const ApiResult<ApiResponse>& result);
  void Judge(Lease lease);
  void Write(Lease lease, bool create);
  void OnWritten(Nanoseconds begun, const Lease& lease, const ApiResult<ApiResponse>& result);
  void Observe(const Lease& lease);
  void Again();
  void Lose();
  void GiveUp(std::function<void()> done);
  std::string Path(bool named) const {
    return ApiPath(kApi, options_.lease_namespace, "leases", named ? options_.lease_name : "");
  }
  // An attempt that takes longer would be of no use.
  std::chrono::milliseconds Timeout() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(options_.renew_deadline) / 2;
  }
  template <typename OnAnswer>
  void Send(std::string method, std::string path, std::string body, OnAnswer on_answer);

  const asio::strand<asio::io_context::executor_type> strand_;
  ApiClient& api_;
  const LeaderElectorOptions options_;
  const LeaderElectorHandlers handlers_;
  CallGate gate_;
  std::atomic<Nanoseconds> leads_until_ = 0;
  // The rest is touched on the strand only.
  asio::steady_timer timer_;
  Rng rng_;
  std::optional<Lease> seen_;
  Nanoseconds seen_at_ = 0;  // when it last changed
  bool leads_ = false;
  bool ended_ = false;
  std::string told_leader_;
};

template <typename OnAnswer>
void LeaderElector::Impl::Send(std::string method, std::string path, std::string body,
                               OnAnswer on_answer) {
  ApiRequest request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.body = std::move(body);
  request.max_attempts = 1;  // it comes back by itself, with what it has seen since
  request.timeout = Timeout();
  api_.Send(std::move(request), [weak = weak_from_this(),
                                 on_answer = std::move(on_answer)](ApiResult<ApiResponse> result) {
    if (const auto self = weak.lock()) {
      asio::post(self->strand_, [self, on_answer, result = std::move(result)] {
        if (!self->ended_) on_answer(*self, result);
      });
    }
  });
}

void LeaderElector::Impl::Try() {
  if (ended_) return;
  if (leads_) {
    // Nobody else writes while it holds: no need to look first.
    Lease lease = *seen_;
    lease.renewed = options_.clock->Now();
    return Write(std::move(lease), false);
  }
  Send("GET", Path(true), {},
       [](Impl& self, const ApiResult<ApiResponse>& result) { self.OnSeen(result); });
}

void LeaderElector::Impl::OnSeen(const ApiResult<ApiResponse>& result) {
  if (!result) {
    if (result.error().code != ErrorCode::kNotFound) {
      spdlog::warn("leader election: {}", result.error().message);
      return Again();
    }
    Lease lease;
    lease.metadata.name = options_.lease_name;
    lease.metadata.namespace_name = options_.lease_namespace;
    lease.holder = options_.identity;
    lease.duration = std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration);
    lease.acquired = lease.renewed = options_.clock->Now();
    return Write(std::move(lease), true);
  }
  Result<Lease> lease = ParseLease(result->body);
  if (!lease) {
    spdlog::error("leader election: {}", lease.error().message());
    return Again();
  }
  Judge(std::move(*lease));
}

void LeaderElector::Impl::Judge(Lease lease) {
  Observe(lease);
  const bool own = lease.holder == options_.identity;
  const auto held_for = std::chrono::nanoseconds(lease.duration).count();
  if (!own && !lease.holder.empty() && Now() < seen_at_ + held_for) return Again();
  lease.renewed = options_.clock->Now();
  if (!own) {
    ++lease.transitions;
    lease.holder = options_.identity;
    lease.acquired = lease.renewed;
  }
  lease.duration = std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration);
  Write(std::move(lease), false);
}

void LeaderElector::Impl::Write(Lease lease, bool create) {
  std::string body = ToJson(lease);
  // From before it was sent: by the server's time the Lease holds for longer.
  const Nanoseconds begun = Now();
  Send(create ? "POST" : "PUT", Path(!create), std::move(body),
       [begun, lease = std::move(lease)](Impl& self, const ApiResult<ApiResponse>& result) {
         self.OnWritten(begun, lease, result);
       });
}

void LeaderElector::Impl::OnWritten(Nanoseconds begun, const Lease& lease,
                                    const ApiResult<ApiResponse>& result) {
  if (!result) {
    const ErrorCode code = result.error().code;
    const bool other_wrote = code == ErrorCode::kConflict || code == ErrorCode::kAlreadyExists;
    if (!other_wrote) spdlog::warn("leader election: {}", result.error().message);
    // Whose Lease it is now has to be looked at; that costs a leader nothing but time.
    if (leads_ && other_wrote) {
      return Send("GET", Path(true), {}, [](Impl& self, const ApiResult<ApiResponse>& looked) {
        const auto now = looked ? ParseLease(looked->body) : Result<Lease>(Lease());
        if (now && looked && now->holder != self.options_.identity) return self.Lose();
        if (now && looked) self.Observe(*now);
        self.Again();
      });
    }
    return Again();
  }
  Result<Lease> written = ParseLease(result->body);
  Observe(written ? *written : lease);
  leads_until_ = begun + options_.renew_deadline.count();
  if (!std::exchange(leads_, true)) {
    spdlog::info("{} leads by the Lease {}/{}", options_.identity, options_.lease_namespace,
                 options_.lease_name);
    gate_.Run([&] {
      if (handlers_.on_started) handlers_.on_started();
    });
  }
  Again();
}

void LeaderElector::Impl::Observe(const Lease& lease) {
  if (!seen_ || seen_->metadata.resource_version != lease.metadata.resource_version) {
    seen_at_ = Now();
  }
  seen_ = lease;
  if (lease.holder.empty() || lease.holder == told_leader_) return;
  told_leader_ = lease.holder;
  gate_.Run([&] {
    if (handlers_.on_new_leader) handlers_.on_new_leader(told_leader_);
  });
}

void LeaderElector::Impl::Again() {
  if (ended_) return;
  auto wait = options_.retry_period;
  if (leads_) {
    const Nanoseconds left = leads_until_ - Now();
    if (left <= 0) return Lose();
    wait = std::min(wait, std::chrono::nanoseconds(left));
  } else {
    // So that replicas do not all try at once.
    wait += std::chrono::nanoseconds(
        static_cast<Nanoseconds>(1.2 * rng_.Uniform() * static_cast<double>(wait.count())));
  }
  timer_.expires_after(wait);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& code) {
    const auto self = weak.lock();
    if (code || self == nullptr) return;
    if (self->leads_ && !self->IsLeader()) return self->Lose();
    self->Try();
  });
}

void LeaderElector::Impl::Lose() {
  ended_ = true;
  leads_until_ = 0;
  timer_.cancel();
  if (!std::exchange(leads_, false)) return;
  spdlog::error("{} has lost the Lease {}/{}", options_.identity, options_.lease_namespace,
                options_.lease_name);
  gate_.Run([&] {
    if (handlers_.on_lost) handlers_.on_lost();
  });
}

void LeaderElector::Impl::GiveUp(std::function<void()> done) {
  timer_.cancel();
  leads_until_ = 0;
  if (ended_ || !std::exchange(leads_, false)) {
    ended_ = true;
    return done();
  }
  ended_ = true;
  Lease lease = *seen_;
  lease.holder.clear();
  lease.duration = std::chrono::seconds(1);
  lease.renewed = lease.acquired = options_.clock->Now();
  ApiRequest request;
  request.method = "PUT";
  request.path = Path(true);
  request.body = ToJson(lease);
  request.max_attempts = 1;
  request.timeout = Timeout();
  api_.Send(std::move(request), [done = std::move(done)](const ApiResult<ApiResponse>& result) {
    if (!result) spdlog::warn("giving the Lease up: {}", result.error().message);
    done();
  });
}

LeaderElector::LeaderElector(asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
                             LeaderElectorHandlers handlers)
    : impl_(std::make_shared<Impl>(io, api, std::move(options), std::move(handlers))) {}

LeaderElector::~LeaderElector() { impl_->Stop(); }

void LeaderElector::Start() { impl_->Start(); }

void LeaderElector::Release(std::function<void()> done) { impl_->Release(std::move(done)); }

bool LeaderElector::IsLeader() const { return impl_->IsLeader(); }

}  // namespace leadline

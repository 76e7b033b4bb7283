#include "leadline/kubernetes/leader_elector.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <random>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "leader_elector_impl.h"
#include "leadline/base/go_duration.h"

namespace leadline {

namespace asio = boost::asio;
using std::chrono::nanoseconds;

std::string NewLeaderIdentity() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::random_device device;
  std::array<std::uint32_t, 4> bits{};
  for (std::uint32_t& word : bits) word = device();
  // RFC 9562: version 4, variant 10.
  return fmt::format("{}_{:08x}-{:04x}-4{:03x}-{:04x}-{:04x}{:08x}", host.data(), bits[0],
                     bits[1] >> 16, bits[1] & 0xfff, 0x8000 | (bits[2] >> 18), bits[2] & 0xffff,
                     bits[3]);
}

LeaderElector::Impl::Impl(asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
                          LeaderElectorHandlers handlers)
    : strand_(asio::make_strand(io)),
      api_(api),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      timer_(strand_),
      deadline_(strand_),
      rng_(std::random_device()()) {}

bool LeaderElector::Impl::IsLeader() const {
  if (!leading_ || releasing_) return false;
  const SteadyTime renewed{SteadyTime::duration(renewed_.load())};
  return options_.clock->SteadyNow() < renewed + options_.renew_deadline;
}

Result<void> LeaderElector::Impl::Check(nanoseconds tolerance) const {
  const SteadyTime renewed{SteadyTime::duration(renewed_.load())};
  const nanoseconds age = options_.clock->SteadyNow() - renewed;
  if (!leading_ || age <= options_.lease_duration + tolerance) return {};
  return Error(ErrorCode::kUnavailable,
               fmt::format("the Lease {}/{} was last renewed {} ago", options_.lease_namespace,
                           options_.lease_name, FormatGoDuration(age)));
}

void LeaderElector::Impl::Post(std::function<void()> step) {
  asio::post(strand_,
             [self = shared_from_this(), step = std::move(step)] { self->gate_->Run(step); });
}

void LeaderElector::Impl::After(asio::steady_timer& timer, nanoseconds delay,
                                std::function<void()> step) {
  timer.expires_after(std::max(delay, nanoseconds(0)));
  timer.async_wait([weak = weak_from_this(), epoch = epoch_,
                    step = std::move(step)](const boost::system::error_code& code) {
    const auto self = weak.lock();
    if (code || self == nullptr) return;
    self->gate_->Run([&] {
      if (self->epoch_ == epoch) step();
    });
  });
}

void LeaderElector::Impl::Send(std::string method, std::string body,
                               std::function<void(const Answer&)> then) {
  const bool create = method == "POST";
  ApiRequest request;
  request.method = std::move(method);
  request.path = ApiPath("/apis/coordination.k8s.io/v1", options_.lease_namespace, "leases",
                         create ? "" : options_.lease_name);
  request.body = std::move(body);
  request.max_attempts = 1;  // the election has its own rhythm
  request.timeout =
      std::max(std::chrono::milliseconds(1),
               std::chrono::duration_cast<std::chrono::milliseconds>(options_.renew_deadline / 2));
  request_ = api_.Send(std::move(request), [weak = weak_from_this(), epoch = epoch_,
                                            then = std::move(then)](Answer answer) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->Post([self = self.get(), epoch, then, answer = std::move(answer)] {
      if (self->epoch_ == epoch) then(answer);
    });
  });
}

void LeaderElector::Impl::Start() {
  Post([this] {
    if (std::exchange(started_, true) || releasing_) return;
    spdlog::info("leader election: {} wants the Lease {}/{}", options_.identity,
                 options_.lease_namespace, options_.lease_name);
    Attempt();
  });
}

void LeaderElector::Impl::Stop() {
  gate_->Close();
  leading_ = false;
  asio::post(strand_, [self = shared_from_this()] {
    self->timer_.cancel();
    self->deadline_.cancel();
  });
}

LeaderElector::LeaderElector(asio::io_context& io, ApiClient& api, LeaderElectorOptions options,
                             LeaderElectorHandlers handlers)
    : impl_(std::make_shared<Impl>(io, api, std::move(options), std::move(handlers))) {}

LeaderElector::~LeaderElector() { impl_->Stop(); }

void LeaderElector::Start() { impl_->Start(); }

bool LeaderElector::IsLeader() const { return impl_->IsLeader(); }

void LeaderElector::Release(std::function<void(bool)> done) { impl_->Release(std::move(done)); }

Result<void> LeaderElector::Check(nanoseconds tolerance) const { return impl_->Check(tolerance); }

const LeaderElectorOptions& LeaderElector::options() const { return impl_->options(); }

}  // namespace leadline

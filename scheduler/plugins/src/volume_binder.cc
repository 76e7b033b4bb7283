#include "leadline/plugins/volume_binder.h"

#include <algorithm>

#include <fmt/format.h>

#include "assume_cache.h"
#include "volume_reservation.h"

namespace leadline {
namespace {

Status Failed(std::string why) { return Status(Status::Code::kError, std::move(why)); }

std::shared_ptr<const PersistentVolumeClaim> WithNode(const PersistentVolumeClaim& claim,
                                                      const std::string& node) {
  auto chosen = std::make_shared<PersistentVolumeClaim>(claim);
  chosen->metadata.annotations.insert_or_assign(std::string(kSelectedNodeAnnotation), node);
  return chosen;
}

}  // namespace

struct VolumeBinder::Books {
  explicit Books(const Listers& listers) : claims(listers.claims), volumes(listers.volumes) {}
  AssumeCache<PersistentVolumeClaim, decltype(Listers::claims)> claims;
  AssumeCache<PersistentVolume, decltype(Listers::volumes)> volumes;
};

VolumeBinder::VolumeBinder(const Listers& listers, VolumeBinderOptions options)
    : listers_(listers), options_(std::move(options)), books_(std::make_unique<Books>(listers)) {}

VolumeBinder::~VolumeBinder() = default;

VolumeBinder::Claim VolumeBinder::FindClaim(const std::string& key) const {
  return books_->claims.Get(key);
}

VolumeBinder::Volume VolumeBinder::FindVolume(const std::string& name) const {
  return books_->volumes.Get(name);
}

std::vector<VolumeBinder::Volume> VolumeBinder::VolumesOf(const std::string& storage_class) const {
  std::vector<Volume> volumes = listers_.volumes.On(storage_class);
  for (Volume& volume : volumes) volume = books_->volumes.Over(std::move(volume));
  return volumes;
}

Result<std::shared_ptr<VolumeBinder::Reservation>> VolumeBinder::Reserve(
    std::shared_ptr<const Pod> pod, std::shared_ptr<const Node> node, const Choice& choice) {
  auto reservation = std::make_shared<Reservation>();
  reservation->pod = std::move(pod);
  reservation->node = std::move(node);
  Result<void> assumed;
  for (const auto& [volume, claim] : choice.bindings) {
    Volume kept = volume;
    if (MustKeep(*volume, *claim)) {
      kept = Keep(*volume, *claim);
      assumed = books_->volumes.Assume(kept);
    }
    if (!assumed) break;
    reservation->bindings.push_back({std::move(kept), claim, {}});
  }
  for (const Claim& claim : choice.provisions) {
    Claim chosen = WithNode(*claim, reservation->node->metadata.name);
    if (assumed) assumed = books_->claims.Assume(chosen);
    if (!assumed) break;
    reservation->provisions.push_back({std::move(chosen), {}});
  }
  if (assumed) return reservation;
  Undo(*reservation);
  return assumed.error();
}

void VolumeBinder::Undo(const Reservation& reservation) {
  const std::size_t written = reservation.written, bindings = reservation.bindings.size();
  for (std::size_t i = written; i < bindings; ++i) {
    books_->volumes.Restore(*reservation.bindings[i].volume);
  }
  for (std::size_t i = std::max(written, bindings); i < reservation.steps(); ++i) {
    books_->claims.Restore(*reservation.provisions[i - bindings].claim);
  }
}

void VolumeBinder::Bind(std::shared_ptr<Reservation> reservation, std::chrono::nanoseconds timeout,
                        StatusCallback done) {
  if (options_.writer == nullptr) return done(Status());
  WriteFrom(0, reservation, timeout, std::move(done));
}

// One after the other, as they depend on one another: a Pod wants all or none.
void VolumeBinder::WriteFrom(std::size_t step, const std::shared_ptr<Reservation>& reservation,
                             std::chrono::nanoseconds timeout, StatusCallback done) {
  if (step == reservation->steps()) return Wait(reservation, timeout, std::move(done));
  Write(step, *reservation,
        [self = shared_from_this(), step, reservation, timeout,
         done = std::move(done)](const Result<std::string>& version) {
          if (!version) return done(Failed(version.error().message()));
          reservation->version(step) = *version;
          reservation->written = step + 1;
          self->WriteFrom(step + 1, reservation, timeout, done);
        });
}

void VolumeBinder::Write(std::size_t step, const Reservation& reservation,
                         VolumeWriter::Done done) {
  const std::string& node = reservation.node->metadata.name;
  const std::size_t bindings = reservation.bindings.size();
  if (step >= bindings) {
    return options_.writer->SelectNode(*reservation.provisions[step - bindings].claim, node,
                                       std::move(done));
  }
  const auto& [volume, claim, version] = reservation.bindings[step];
  const Volume stored = listers_.volumes.Get(volume->metadata.name);
  if (stored != nullptr && !MustKeep(*stored, *claim)) {
    return done(stored->metadata.resource_version);
  }
  options_.writer->KeepVolume(*volume, *claim, std::move(done));
}

void VolumeBinder::Wait(std::shared_ptr<Reservation> reservation, std::chrono::nanoseconds timeout,
                        StatusCallback done) {
  const Reservation* one = reservation.get();
  std::unique_lock lock(mutex_);
  if (stopped_) {
    lock.unlock();
    return done(Failed("binding volumes: context canceled"));
  }
  waiters_.push_back(
      {std::move(reservation), options_.clock->SteadyNow() + timeout, std::move(done)});
  lock.unlock();
  Look([one](const Reservation& waiting) { return &waiting == one; });
}

std::optional<Status> VolumeBinder::Check(const Reservation& reservation) const {
  const Pod& pod = *reservation.pod;
  std::shared_ptr<const Node> node = reservation.node;
  if (options_.node) node = options_.node(node->metadata.name);
  if (node != nullptr && options_.exists && !options_.exists(pod)) {
    return Failed(
        fmt::format("pod does not exist any more: pod \"{}\" not found", pod.metadata.name));
  }
  return CheckBindings(reservation, node.get(), listers_);
}

template <typename Concerns>
void VolumeBinder::Look(Concerns concerns) {
  std::vector<std::pair<StatusCallback, Status>> ended;
  {
    const std::lock_guard lock(mutex_);
    const SteadyTime now = options_.clock->SteadyNow();
    for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
      std::optional<Status> status;
      if (concerns(*waiter->reservation)) {
        status = Check(*waiter->reservation);
        if (!status && now >= waiter->deadline) status = Failed("context deadline exceeded");
      }
      if (status && !status->ok()) status = Failed("binding volumes: " + status->Message());
      if (status) ended.emplace_back(std::move(waiter->done), std::move(*status));
      waiter = status ? waiters_.erase(waiter) : std::next(waiter);
    }
  }
  for (auto& [done, status] : ended) done(std::move(status));
}

void VolumeBinder::OnChange(const ClusterChange& change) {
  if (change.claim == nullptr && change.volume == nullptr) return;
  const auto is_it = [&](const Claim& claim) {
    return change.claim != nullptr && claim->metadata.Key() == change.claim->metadata.Key();
  };
  Look([&](const Reservation& waiting) {
    // Which volume is made for a claim is known when it is bound: any may be it.
    if (change.volume != nullptr && !waiting.provisions.empty()) return true;
    return std::any_of(waiting.bindings.begin(), waiting.bindings.end(),
                       [&](const Reservation::Binding& binding) {
                         return is_it(binding.claim) ||
                                (change.volume != nullptr &&
                                 binding.volume->metadata.name == change.volume->metadata.name);
                       }) ||
           std::any_of(waiting.provisions.begin(), waiting.provisions.end(),
                       [&](const auto& provision) { return is_it(provision.claim); });
  });
}

void VolumeBinder::Poll() {
  Look([](const Reservation&) { return true; });
  books_->claims.Prune();
  books_->volumes.Prune();
}

void VolumeBinder::Stop() {
  std::list<Waiter> waiters;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    waiters.swap(waiters_);
  }
  for (const Waiter& waiter : waiters) {
    waiter.done(Failed("binding volumes: context canceled"));
  }
}

}  // namespace leadline

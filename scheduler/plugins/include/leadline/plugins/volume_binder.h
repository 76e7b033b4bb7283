// The bindings of volumes to claims that are under way.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/listers.h"
#include "leadline/framework/plugin.h"
#include "leadline/framework/volume_writer.h"

namespace leadline {

struct VolumeBinderOptions {
  // Null: a dry run, in which every volume is as good as bound.
  VolumeWriter* writer = nullptr;
  // The node as the API server last told it, null when it is gone; not set: nodes never change.
  std::function<std::shared_ptr<const Node>(const std::string& name)> node;
  // Whether the Pod is still there; not set: it is.
  std::function<bool(const Pod&)> exists;
  const Clock* clock = &Clock::Real();
};

// Keeps claims and volumes as decisions under way will leave them, asks the API server for it, and
// waits for the controllers (PersistentVolume controller, CSI provisioner) to do their part. One
// for all profiles: what one has promised no other may give away. Thread-safe; no callback runs
// under a lock.
class VolumeBinder : public std::enable_shared_from_this<VolumeBinder> {
 public:
  using Claim = std::shared_ptr<const PersistentVolumeClaim>;
  using Volume = std::shared_ptr<const PersistentVolume>;

  // What a Pod needs on one node.
  struct Choice {
    std::vector<std::pair<Volume, Claim>> bindings;
    std::vector<Claim> provisions;  // for these a volume is to be made
  };
  struct Reservation;

  // `listers` and all in `options` must outlive it.
  VolumeBinder(const Listers& listers, VolumeBinderOptions options);
  ~VolumeBinder();

  // Null when there is none.
  Claim FindClaim(const std::string& key) const;
  Volume FindVolume(const std::string& name) const;
  std::vector<Volume> VolumesOf(const std::string& storage_class) const;

  // Promises what was chosen. All or nothing; kConflict when something has changed meanwhile.
  Result<std::shared_ptr<Reservation>> Reserve(std::shared_ptr<const Pod> pod,
                                               std::shared_ptr<const Node> node,
                                               const Choice& choice);
  // Takes back what has not been written yet.
  void Undo(const Reservation& reservation);
  // Writes it and calls `done` when the controllers have bound everything; with kError when that
  // is not to be any more, or not within `timeout`. What is written stays: the next attempt finds
  // it.
  void Bind(std::shared_ptr<Reservation> reservation, std::chrono::nanoseconds timeout,
            StatusCallback done);

  // Of a claim or a volume, once the listers have it.
  void OnChange(const ClusterChange& change);
  // Looks at every binding under way; call it about once a second.
  void Poll();
  // Every binding under way fails, and so does every later one.
  void Stop();

 private:
  struct Books;
  struct Waiter {
    std::shared_ptr<Reservation> reservation;
    SteadyTime deadline;
    StatusCallback done;
  };

  void WriteFrom(std::size_t step, const std::shared_ptr<Reservation>& reservation,
                 std::chrono::nanoseconds timeout, StatusCallback done);
  void Write(std::size_t step, const Reservation& reservation, VolumeWriter::Done done);
  void Wait(std::shared_ptr<Reservation> reservation, std::chrono::nanoseconds timeout,
            StatusCallback done);
  template <typename Concerns>
  void Look(Concerns concerns);
  // Nothing: not yet.
  std::optional<Status> Check(const Reservation& reservation) const;

  const Listers& listers_;
  const VolumeBinderOptions options_;
  const std::unique_ptr<Books> books_;
  std::mutex mutex_;
  std::list<Waiter> waiters_;  // by mutex_
  bool stopped_ = false;       // by mutex_
};

}  // namespace leadline

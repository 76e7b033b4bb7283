// One Pod that the queue knows, wherever it is.
#pragma once

#include <cstdint>
#include <memory>

#include "leadline/queue/scheduling_queue.h"

namespace leadline {

struct Rejection;

struct WaitingPod {
  enum class Place { kActive, kBackoff, kUnschedulable, kGated, kInFlight };

  SchedulingQueue::Entry entry;
  Place place = Place::kActive;
  // Who turned it down or holds it back, and so what could help it; null: nobody.
  Rejection* rejection = nullptr;
  SteadyTime backoff_end{};
  SteadyTime parked_at{};  // among the unschedulable or gated Pods

  // While in flight: where its part of the flight log begins, its newest state if there is one,
  // whether that differs in what scheduling reads, and whether a plugin asks for another attempt.
  std::uint64_t flight = 0;
  std::shared_ptr<const Pod> newer;
  bool changed = false;
  bool activated = false;

  const Pod& pod() const { return *entry->pod->pod; }
};

}  // namespace leadline

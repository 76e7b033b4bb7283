// One attempt to place one Pod, from Pop until its binding has ended.
#pragma once

#include <memory>
#include <string>

#include "leadline/core/scheduler.h"

namespace leadline {

struct Scheduler::Cycle {
  Cycle(SchedulingQueue::Entry queued, Framework* framework, std::shared_ptr<const Snapshot> frozen,
        std::string decision_id, SteadyTime now)
      : entry(std::move(queued)),
        pod(entry->pod),
        profile(framework),
        snapshot(std::move(frozen)),
        state(std::move(decision_id), *snapshot, entry->deferrals),
        started(now) {}

  double Seconds(const Clock& clock) const {
    return std::chrono::duration<double>(clock.SteadyNow() - started).count();
  }

  // Gives up what only the scheduling cycle needs and grows with the cluster.
  void EndScheduling() {
    state.EndScheduling();
    feasibility = {};
    snapshot.reset();
  }

  SchedulingQueue::Entry entry;
  std::shared_ptr<const PodInfo> pod;
  Framework* profile;
  std::shared_ptr<const Snapshot> snapshot;
  CycleState state;
  Feasibility feasibility;
  std::string node;
  SteadyTime started;
  SteadyTime waits_since{};  // on Permit
};

}  // namespace leadline

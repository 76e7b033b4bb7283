// What happens to a Pod that got no node, and what is said about it.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cycle.h"
#include "leadline/core/scheduler.h"

namespace leadline {

// PostFilter plugins (preemption) have their say first.
void Scheduler::FailUnschedulable(const CyclePtr& cycle) {
  Feasibility& feasibility = cycle->feasibility;
  RunPostFilter(cycle);
  const std::string message = FitErrorMessage(feasibility, cycle->snapshot->nodes().size());
  const std::set<std::string> rejecting = feasibility.RejectingPlugins();
  metrics_.OnAttempt(cycle->profile->profile(), "unschedulable", cycle->Seconds(clock_));
  Record(cycle, Decision::Result::kUnschedulable, message);
  TellUnscheduled(cycle, "Unschedulable", message);
  queue_.AddUnschedulable(cycle->entry, rejecting);
}

// Turned down after a node was chosen, at Reserve or Permit: the one node that was tried.
void Scheduler::FailLate(const CyclePtr& cycle, const Status& status) {
  Feasibility one;
  one.rejected.emplace_back(std::string(), status);
  const std::string message = FitErrorMessage(one, 1);
  metrics_.OnAttempt(cycle->profile->profile(), "unschedulable", cycle->Seconds(clock_));
  Record(cycle, Decision::Result::kUnschedulable, message);
  TellUnscheduled(cycle, "Unschedulable", message);
  Nominate(cycle, {});
  queue_.AddUnschedulable(cycle->entry, {status.plugin()});
}

void Scheduler::FailDeferred(const CyclePtr& cycle, const Status& status) {
  const std::string message =
      fmt::format("{} (deferral {})", status.Message(), cycle->entry->deferrals + 1);
  metrics_.OnAttempt(cycle->profile->profile(), "deferred", cycle->Seconds(clock_));
  Record(cycle, Decision::Result::kDeferred, message);
  // No condition: cluster autoscalers act on Unschedulable, and this Pod does fit.
  writer_.RecordEvent(
      *cycle->pod->pod,
      {.warning = false, .reason = "SchedulingDeferred", .action = "Scheduling", .note = message});
  queue_.AddDeferred(cycle->entry);
}

void Scheduler::FailError(const CyclePtr& cycle, const Status& status) {
  spdlog::error("scheduling {}: {}", cycle->pod->pod->metadata.Key(), status.Message());
  metrics_.OnAttempt(cycle->profile->profile(), "error", cycle->Seconds(clock_));
  Record(cycle, Decision::Result::kError, status.Message());
  TellUnscheduled(cycle, "SchedulerError", status.Message());
  Nominate(cycle, {});
  queue_.AddUnschedulable(cycle->entry, {});
}

// Rejected while a Permit plugin held it; the node was reserved for it till now.
void Scheduler::FailPermit(const CyclePtr& cycle, const Status& status) {
  UndoReservation(cycle);
  Feasibility one;
  one.rejected.emplace_back(cycle->node, status);
  const std::string message = FitErrorMessage(one, 1);
  metrics_.OnAttempt(cycle->profile->profile(), "unschedulable", cycle->Seconds(clock_));
  TellUnscheduled(cycle, "Unschedulable", message);
  Nominate(cycle, {});
  queue_.AddUnschedulable(cycle->entry, {status.plugin()});
}

void Scheduler::FailBinding(const CyclePtr& cycle, const Status& status) {
  const Pod& pod = *cycle->pod->pod;
  spdlog::warn("binding {} to {} failed: {}", pod.metadata.Key(), cycle->node, status.Message());
  UndoReservation(cycle);
  metrics_.OnAttempt(cycle->profile->profile(), "error", cycle->Seconds(clock_));
  // Pending: it is gone, or somebody else's, which the watch is about to say. A condition would
  // be wrong by then.
  if (status.code() != Status::Code::kPending) {
    TellUnscheduled(cycle, "SchedulerError", fmt::format("binding rejected: {}", status.Message()));
  }
  Nominate(cycle, {});
  queue_.AddUnschedulable(cycle->entry, {});
}

void Scheduler::TellUnscheduled(const CyclePtr& cycle, const std::string& reason,
                                const std::string& message) {
  const Pod& pod = *cycle->pod->pod;
  if (!queue_.Contains(pod.metadata.uid)) return;  // deleted meanwhile, or on a node
  writer_.RecordEvent(
      pod,
      {.warning = true, .reason = "FailedScheduling", .action = "Scheduling", .note = message});
  const PodCondition* condition = pod.FindCondition("PodScheduled");
  const bool said = condition != nullptr && condition->status == "False" &&
                    condition->reason == reason && condition->message == message;
  if (!said) writer_.SetUnscheduled(pod, reason, message);
}

// The last to need what was found: it moves into the Decision.
void Scheduler::Record(const CyclePtr& cycle, Decision::Result result, std::string message) {
  if (observers_.empty()) return;
  const Pod& pod = *cycle->pod->pod;
  auto decision = std::make_shared<Decision>();
  decision->id = cycle->state.decision_id();
  decision->time = clock_.Now();
  decision->pod = pod.metadata.Key();
  decision->uid = pod.metadata.uid;
  decision->profile = cycle->profile->profile();
  decision->attempt = cycle->entry->attempts;
  decision->result = result;
  decision->node = cycle->node;
  decision->message = std::move(message);
  decision->snapshot = cycle->snapshot;
  decision->candidates = std::move(cycle->feasibility.feasible);
  decision->filtered = std::move(cycle->feasibility.rejected);
  decision->learned = std::move(cycle->state.learned);
  for (DecisionObserver* observer : observers_) observer->OnDecision(decision);
}

}  // namespace leadline

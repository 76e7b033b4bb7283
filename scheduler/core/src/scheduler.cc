#include "leadline/core/scheduler.h"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cycle.h"

namespace leadline {
namespace {

// How long the thread sleeps at most before it looks at the unschedulable Pods' patience again.
constexpr std::chrono::milliseconds kPopWait{1000};
// One cycle of so many has its plugins timed.
constexpr std::uint64_t kSampleOneOf = 10;

}  // namespace

Scheduler::Scheduler(SchedulerOptions options, Profiles& profiles, Cache& cache,
                     ClusterWriter& writer, SchedulerMetrics& metrics,
                     std::vector<DecisionObserver*> observers, const Clock& clock)
    : options_(std::move(options)),
      cache_(cache),
      writer_(writer),
      metrics_(metrics),
      observers_(std::move(observers)),
      clock_(clock),
      queue_(options_.queue, MakeHooks(), clock),
      evictions_(writer, [this](const std::string& preemptor) { queue_.Activate(preemptor); }),
      rng_(options_.seed) {
  for (const auto& profile : profiles) {
    profiles_.emplace(profile->profile(), profile.get());
    profile->set_observer(metrics_.ObserverFor(profile->profile()));
    profile->set_nominator(&nominator_);
  }
}

Scheduler::~Scheduler() { Stop(std::chrono::milliseconds(0)); }

Framework* Scheduler::ProfileOf(const Pod& pod) const {
  const auto found = profiles_.find(pod.spec.scheduler_name);
  return found == profiles_.end() ? nullptr : found->second;
}

SchedulingQueueHooks Scheduler::MakeHooks() {
  SchedulingQueueHooks hooks;
  // All profiles have the same QueueSort (checked when the configuration is read).
  hooks.less = [this](const QueuedPodInfo& a, const QueuedPodInfo& b) {
    return profiles_.begin()->second->queue_sort().Less(a, b);
  };
  hooks.gated_by = [this](const Pod& pod) {
    const Framework* profile = ProfileOf(pod);
    const Status status = profile == nullptr ? Status() : profile->RunPreEnqueue(pod);
    return status.ok() ? std::string() : status.plugin();
  };
  hooks.hints_of = [this](const std::string& name, const std::string& plugin) {
    const Framework* profile = profiles_.at(name);
    PluginHints hints;
    for (ClusterEvent event : profile->EventsFor(plugin)) {
      hints.events.set(static_cast<std::size_t>(event));
    }
    hints.helps = profile->HintOf(plugin);
    return hints;
  };
  hooks.on_enter = [this](QueueName queue, std::string_view event) {
    // kube-scheduler counts gated Pods as unschedulable here.
    const bool gated = queue == QueueName::kGated;
    metrics_.OnQueueEnter(QueueNameLabel(gated ? QueueName::kUnschedulable : queue), event);
  };
  return hooks;
}

void Scheduler::Start() {
  thread_ = std::thread([this] { Run(); });
}

void Scheduler::Stop(std::chrono::milliseconds grace) {
  stopping_ = true;
  queue_.Close();
  if (thread_.joinable()) thread_.join();
  options_.waiting_pods->Close();
  std::unique_lock lock(bindings_mutex_);
  bindings_ended_.wait_for(lock, grace, [this] { return bindings_ == 0; });
}

std::size_t Scheduler::bindings_under_way() const {
  const std::lock_guard lock(bindings_mutex_);
  return bindings_;
}

void Scheduler::BindingEnded() {
  const std::lock_guard lock(bindings_mutex_);
  --bindings_;
  bindings_ended_.notify_all();
}

void Scheduler::Run() {
  while (!stopping_) {
    const SchedulingQueue::Entry entry = queue_.Pop(kPopWait);
    if (entry) ScheduleOne(entry);
  }
}

bool Scheduler::ScheduleNext() {
  const SchedulingQueue::Entry entry = queue_.Pop(Duration(0));
  if (entry) ScheduleOne(entry);
  return entry != nullptr;
}

void Scheduler::ScheduleOne(const SchedulingQueue::Entry& entry) {
  const Pod& pod = *entry->pod->pod;
  Framework* profile = ProfileOf(pod);
  if (pod.metadata.deleting) {
    writer_.RecordEvent(
        pod, {.warning = true,
              .reason = "FailedScheduling",
              .action = "Scheduling",
              .note = fmt::format("skip schedule deleting pod: {}", pod.metadata.Key())});
    return queue_.Done(pod.metadata.uid);
  }
  if (profile == nullptr || !cache_.NodeOf(pod.metadata.uid).empty()) {
    return queue_.Done(pod.metadata.uid);
  }
  std::string id = fmt::format("{}-{}", options_.boot_id, next_decision_++);
  const auto cycle = std::make_shared<Cycle>(entry, profile, cache_.UpdateSnapshot(), std::move(id),
                                             clock_.SteadyNow());
  cycle->state.sampled = rng_.Below(kSampleOneOf) == 0;
  Attempt(cycle);
}

void Scheduler::Attempt(const CyclePtr& cycle) {
  cycle->feasibility = cycle->profile->FindFeasible(cycle->state, *cycle->pod);
  const Feasibility& feasibility = cycle->feasibility;
  if (feasibility.verdict && feasibility.verdict->code() == Status::Code::kError) {
    return FailError(cycle, *feasibility.verdict);
  }
  if (feasibility.feasible.empty()) return FailUnschedulable(cycle);
  if (feasibility.by_nomination) {
    // Others had to go for it: there is nothing to choose, and no waiting for something better.
    cycle->node = feasibility.feasible.front()->name();
    metrics_.OnAlgorithm(cycle->Seconds(clock_));
    return ReserveAndBind(cycle);
  }
  std::vector<NodeScore> scores;
  const Status scored =
      cycle->profile->Prioritize(cycle->state, *cycle->pod, feasibility.feasible, &scores);
  if (scored.code() == Status::Code::kDeferred) return FailDeferred(cycle, scored);
  if (!scored.ok()) return FailError(cycle, scored);
  cycle->node = SelectNode(scores);
  metrics_.OnAlgorithm(cycle->Seconds(clock_));
  ReserveAndBind(cycle);
}

// The best score; among equals each with the same chance.
std::string Scheduler::SelectNode(const std::vector<NodeScore>& scores) {
  const auto best =
      std::max_element(scores.begin(), scores.end(),
                       [](const NodeScore& a, const NodeScore& b) { return a.score < b.score; });
  const auto equal = [&](const NodeScore& one) { return one.score == best->score; };
  auto equals = rng_.Below(static_cast<std::uint64_t>(std::count_if(best, scores.end(), equal)));
  auto chosen = best;
  while (equals-- > 0) chosen = std::find_if(chosen + 1, scores.end(), equal);
  return chosen->node->name();
}

void Scheduler::ReserveAndBind(const CyclePtr& cycle) {
  if (!cache_.Assume(cycle->pod, cycle->node)) {
    // Somebody else bound it meanwhile.
    return queue_.Done(cycle->pod->uid());
  }
  nominator_.Remove(cycle->pod->uid());  // it has its room
  if (!queue_.Contains(cycle->pod->uid())) {
    // Deleted during the cycle, perhaps before it was assumed: nobody else would undo that.
    return cache_.Forget(cycle->pod->uid());
  }
  Status status = cycle->profile->RunReserve(cycle->state, *cycle->pod, cycle->node);
  PermitWaits waits;
  if (status.ok()) {
    status = cycle->profile->RunPermit(cycle->state, *cycle->pod, cycle->node, &waits);
  }
  if (!status.ok() && waits.empty()) {
    UndoReservation(cycle);
    cycle->node.clear();
    return status.rejected() ? FailLate(cycle, status) : FailError(cycle, status);
  }
  Record(cycle, Decision::Result::kScheduled, {});
  cycle->EndScheduling();
  {
    const std::lock_guard lock(bindings_mutex_);
    ++bindings_;
  }
  waits.empty() ? BindPod(cycle) : WaitOnPermit(cycle, waits);
}

void Scheduler::BindPod(const CyclePtr& cycle) {
  cycle->profile->RunPreBindAndBind(
      cycle->state, *cycle->pod, cycle->node,
      [this, cycle](const Status& bound) { OnBindingDone(cycle, bound); });
}

void Scheduler::OnBindingDone(const CyclePtr& cycle, const Status& status) {
  if (status.ok()) {
    OnBound(cycle);
  } else {
    FailBinding(cycle, status);
  }
  BindingEnded();
}

void Scheduler::OnBound(const CyclePtr& cycle) {
  const Pod& pod = *cycle->pod->pod;
  queue_.Done(pod.metadata.uid);
  metrics_.OnAttempt(cycle->profile->profile(), "scheduled", cycle->Seconds(clock_));
  const std::chrono::duration<double> took =
      clock_.SteadyNow() - cycle->entry->initial_attempt_at.value_or(cycle->started);
  metrics_.OnBound(cycle->entry->attempts, took.count());
  writer_.RecordEvent(pod, {.warning = false,
                            .reason = "Scheduled",
                            .action = "Binding",
                            .note = fmt::format("Successfully assigned {} to {}",
                                                pod.metadata.Key(), cycle->node)});
  cycle->profile->RunPostBind(cycle->state, *cycle->pod, cycle->node);
}

void Scheduler::UndoReservation(const CyclePtr& cycle) {
  cycle->profile->RunUnreserve(cycle->state, *cycle->pod, cycle->node);
  cache_.Forget(cycle->pod->uid());
  // What it held is free again: that may help others.
  ClusterChange freed{ClusterEvent::kAssignedPodDelete};
  freed.old_pod = freed.pod = cycle->pod->pod;
  queue_.OnEvent(freed, {.except = cycle->pod->uid()});
}

}  // namespace leadline

// Pops a Pod, finds its node, assumes it there and binds it, or undoes all that and requeues it.
// k8s.io/kubernetes/pkg/scheduler, schedule_one.go. Knows no plugin.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/base/rng.h"
#include "leadline/cache/cache.h"
#include "leadline/core/cluster_writer.h"
#include "leadline/core/evictions.h"
#include "leadline/core/scheduler_metrics.h"
#include "leadline/framework/decision.h"
#include "leadline/framework/framework.h"
#include "leadline/framework/nominator.h"
#include "leadline/framework/waiting_pods.h"
#include "leadline/queue/scheduling_queue.h"

namespace leadline {

struct SchedulerOptions {
  SchedulingQueueOptions queue;
  std::string boot_id;     // first part of every decision id; differs between runs
  std::uint64_t seed = 1;  // for ties between equal scores
  // Where Permit plugins find the Pods that they hold; of one scheduler, which closes it.
  std::shared_ptr<WaitingPods> waiting_pods = std::make_shared<WaitingPods>();
};

// The three groups of methods run on different threads: informer callbacks on one (On...),
// Start and Stop on the owner's, everything else inside. Profiles, cache, writer, metrics and
// observers must outlive it.
class Scheduler {
 public:
  using Profiles = std::vector<std::unique_ptr<Framework>>;

  Scheduler(SchedulerOptions options, Profiles& profiles, Cache& cache, ClusterWriter& writer,
            SchedulerMetrics& metrics, std::vector<DecisionObserver*> observers,
            const Clock& clock = Clock::Real());
  ~Scheduler();  // stops

  // What the watch of Pods and Nodes says. `old` as last told, null when there is none.
  void OnPodAdd(const std::shared_ptr<const Pod>& pod);
  void OnPodUpdate(const std::shared_ptr<const Pod>& old, const std::shared_ptr<const Pod>& pod);
  void OnPodDelete(const std::shared_ptr<const Pod>& pod);
  void OnNodeAdd(const std::shared_ptr<const Node>& node);
  void OnNodeUpdate(const std::shared_ptr<const Node>& old,
                    const std::shared_ptr<const Node>& node);
  void OnNodeDelete(const std::shared_ptr<const Node>& node);
  // Anything else that may help a waiting Pod.
  void OnChange(const ClusterChange& change) { queue_.OnEvent(change); }

  // Call when all that is there has been told; starts the scheduling thread.
  void Start();
  // Instead of Start: one cycle on the caller's thread. False when no Pod can be tried.
  bool ScheduleNext();
  // Ends the scheduling thread, undoes what Permit plugins hold, then waits for bindings under way,
  // `grace` at most. Bindings that take longer still call back: the writer has to end before the
  // scheduler is destroyed.
  void Stop(std::chrono::milliseconds grace);

  const SchedulingQueue& queue() const { return queue_; }
  std::size_t bindings_under_way() const;

 private:
  struct Cycle;
  using CyclePtr = std::shared_ptr<Cycle>;

  Framework* ProfileOf(const Pod& pod) const;
  SchedulingQueueHooks MakeHooks();
  void OnWaitingPodUpdate(const std::shared_ptr<const Pod>& old,
                          const std::shared_ptr<const Pod>& pod);
  void Run();
  void ScheduleOne(const SchedulingQueue::Entry& entry);
  void Attempt(const CyclePtr& cycle);
  std::string SelectNode(const std::vector<NodeScore>& scores);
  void ReserveAndBind(const CyclePtr& cycle);
  void WaitOnPermit(const CyclePtr& cycle, const PermitWaits& waits);
  void OnPermitted(const CyclePtr& cycle, const Status& status);
  void BindPod(const CyclePtr& cycle);
  void OnBindingDone(const CyclePtr& cycle, const Status& status);
  void OnBound(const CyclePtr& cycle);
  void UndoReservation(const CyclePtr& cycle);
  void FailUnschedulable(const CyclePtr& cycle);
  void RunPostFilter(const CyclePtr& cycle);
  void Evict(const CyclePtr& cycle, const std::string& node,
             const std::vector<std::shared_ptr<const PodInfo>>& victims);
  void Nominate(const CyclePtr& cycle, const std::string& node);
  void LeaveQueue(const std::string& uid);
  void NoteNomination(const Pod* old, const std::shared_ptr<const Pod>& pod);
  void FailLate(const CyclePtr& cycle, const Status& status);
  void FailPermit(const CyclePtr& cycle, const Status& status);
  void FailBinding(const CyclePtr& cycle, const Status& status);
  void FailDeferred(const CyclePtr& cycle, const Status& status);
  void FailError(const CyclePtr& cycle, const Status& status);
  void TellUnscheduled(const CyclePtr& cycle, const std::string& reason,
                       const std::string& message);
  void Record(const CyclePtr& cycle, Decision::Result result, std::string message);
  void BindingEnded();

  const SchedulerOptions options_;
  Cache& cache_;
  ClusterWriter& writer_;
  SchedulerMetrics& metrics_;
  const std::vector<DecisionObserver*> observers_;
  const Clock& clock_;
  std::map<std::string, Framework*> profiles_;
  SchedulingQueue queue_;
  Nominator nominator_;
  Evictions evictions_;
  Rng rng_;
  std::uint64_t next_decision_ = 1;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
  mutable std::mutex bindings_mutex_;
  std::condition_variable bindings_ended_;
  std::size_t bindings_ = 0;
};

}  // namespace leadline

// Preemption, as far as it is not a plugin's: nominations, evictions and what is said about them.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cycle.h"
#include "leadline/core/scheduler.h"

namespace leadline {
namespace {

// A refusal by PreFilter is one of every node.
NodeToStatus OnEveryNode(const Snapshot& snapshot, const Status& verdict) {
  NodeToStatus statuses;
  for (const auto& node : snapshot.nodes()) statuses.emplace_back(node->name(), verdict);
  return statuses;
}

}  // namespace

void Scheduler::RunPostFilter(const CyclePtr& cycle) {
  if (!cycle->profile->has_post_filter() || cycle->snapshot->nodes().empty()) {
    return Nominate(cycle, {});
  }
  std::string& message = cycle->feasibility.post_filter_message;
  if (evictions_.UnderWay(cycle->pod->uid(), *cycle->snapshot)) {
    message = "preemption: waiting for the preemption for this pod to be finished";
    return;
  }
  NodeToStatus alike;
  const auto& verdict = cycle->feasibility.verdict;
  if (verdict) alike = OnEveryNode(*cycle->snapshot, *verdict);
  PostFilterResult wanted;
  const Status status = cycle->profile->RunPostFilter(
      cycle->state, *cycle->pod, verdict ? alike : cycle->feasibility.rejected, &wanted);
  message = status.Message();
  if (status.code() == Status::Code::kError) {
    spdlog::error("PostFilter of {}: {}", cycle->pod->pod->metadata.Key(), message);
  }
  metrics_.OnPreemption(wanted.victims.size());
  if (!wanted.nominated_node) return;
  Nominate(cycle, *wanted.nominated_node);
  if (!wanted.victims.empty()) Evict(cycle, *wanted.nominated_node, wanted.victims);
}

void Scheduler::Evict(const CyclePtr& cycle, const std::string& node,
                      const std::vector<std::shared_ptr<const PodInfo>>& victims) {
  const auto& pod = cycle->pod->pod;
  if (!queue_.Contains(pod->metadata.uid)) return;  // deleted meanwhile: nobody goes for it
  spdlog::info("{} preempts {} Pods on {}", pod->metadata.Key(), victims.size(), node);
  // Less important Pods that wait for the same node may not fit any more: they had better look for
  // another one now.
  const auto nominations = nominator_.Get();
  const auto here = nominations->find(node);
  if (here != nominations->end()) {
    for (const auto& other : here->second) {
      if (other->pod->Priority() >= pod->Priority()) continue;
      nominator_.Remove(other->uid());
      writer_.SetNominatedNode(*other->pod, {});
      queue_.Activate(other->uid());
    }
  }
  evictions_.Start(pod, node, victims);
}

// An empty node takes the nomination back, if there is one.
void Scheduler::Nominate(const CyclePtr& cycle, const std::string& node) {
  const Pod& pod = *cycle->pod->pod;
  const std::string& uid = pod.metadata.uid;
  const std::string known = nominator_.NodeOf(uid);
  if (!queue_.Contains(uid)) return;
  nominator_.Nominate(cycle->pod, node);
  if (!queue_.Contains(uid)) {
    // Deleted between the two: nobody else would take that back.
    return nominator_.Remove(uid);
  }
  if (node != known || node != pod.status.nominated_node_name) writer_.SetNominatedNode(pod, node);
}

// Gone, or on a node. What waited for it there is forgotten after it has left the queue: Nominate()
// looks whether it is there.
void Scheduler::LeaveQueue(const std::string& uid) {
  queue_.Remove(uid);
  nominator_.Remove(uid);
  evictions_.Forget(uid);
  options_.waiting_pods->Reject(uid, "", "removed");
}

// Before a waiting Pod enters the queue: its next cycle, and those of others, have to know.
void Scheduler::NoteNomination(const Pod* old, const std::shared_ptr<const Pod>& pod) {
  // An assumed one has the room that it was nominated to.
  if (ProfileOf(*pod) == nullptr || cache_.IsAssumed(pod->metadata.uid)) return;
  nominator_.SetPod(old, pod);
}

}  // namespace leadline

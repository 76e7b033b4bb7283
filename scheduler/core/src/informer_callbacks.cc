// What the watches say, brought into the books and the queue.
#include <utility>

#include "leadline/core/cluster_events.h"
#include "leadline/core/scheduler.h"

namespace leadline {
namespace {

// On a node and still holding something there.
bool Assigned(const Pod& pod) { return !pod.spec.node_name.empty() && !pod.Finished(); }

ClusterChange PodChange(ClusterEvent event, std::shared_ptr<const Pod> old,
                        std::shared_ptr<const Pod> pod) {
  ClusterChange change{event};
  change.old_pod = std::move(old);
  change.pod = std::move(pod);
  return change;
}

ClusterChange Gone(const std::shared_ptr<const Pod>& pod) {
  return PodChange(ClusterEvent::kAssignedPodDelete, pod, pod);
}

ClusterChange NodeChange(ClusterEvent event, std::shared_ptr<const Node> old,
                         std::shared_ptr<const Node> node) {
  ClusterChange change{event};
  change.old_node = std::move(old);
  change.node = std::move(node);
  return change;
}

}  // namespace

void Scheduler::OnPodAdd(const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  if (Assigned(*pod)) {
    cache_.SetPod(pod);
    LeaveQueue(uid);
    queue_.OnEvent(PodChange(ClusterEvent::kAssignedPodAdd, nullptr, pod));
  } else if (pod->Finished()) {
    LeaveQueue(uid);  // failed before it got a node
  } else if (ProfileOf(*pod) != nullptr && (!cache_.IsAssumed(uid) || queue_.Contains(uid))) {
    NoteNomination(nullptr, pod);
    // Of an assumed Pod in flight the news count should the binding fail.
    queue_.Set(pod);
  }
}

void Scheduler::OnPodUpdate(const std::shared_ptr<const Pod>& old,
                            const std::shared_ptr<const Pod>& pod) {
  if (old->metadata.uid != pod->metadata.uid) {  // deleted and made again while nobody watched
    OnPodDelete(old);
    return OnPodAdd(pod);
  }
  const bool was = Assigned(*old), is = Assigned(*pod);
  if (was && !is) return OnPodDelete(pod);
  if (!was) {
    const bool waits = !is && !pod->Finished();
    return waits ? OnWaitingPodUpdate(old, pod) : OnPodAdd(pod);
  }
  cache_.SetPod(pod);
  if (AssignedPodChanged(*old, *pod)) {
    queue_.OnEvent(PodChange(ClusterEvent::kAssignedPodUpdate, old, pod));
  }
}

void Scheduler::OnWaitingPodUpdate(const std::shared_ptr<const Pod>& old,
                                   const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  NoteNomination(old.get(), pod);
  if (WaitingPodChanged(*old, *pod)) {
    OnPodAdd(pod);
  } else {
    queue_.Refresh(pod);
  }
  if (pod->metadata.deleting && !old->metadata.deleting && cache_.IsAssumed(uid)) {
    // Its binding is about to be refused.
    options_.waiting_pods->Reject(uid, "", "removed");
    cache_.Forget(uid);
    return queue_.OnEvent(Gone(pod));
  }
  const std::string& nominated = old->status.nominated_node_name;
  if (!nominated.empty() && nominated != pod->status.nominated_node_name) {
    // What was kept free for it there is free for those that it goes before no longer.
    queue_.OnEvent(Gone(old), {.highest_priority = old->Priority(), .except = {}});
  }
}

void Scheduler::OnPodDelete(const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  const bool held = !cache_.NodeOf(uid).empty();
  LeaveQueue(uid);
  cache_.RemovePod(uid);
  for (const std::string& preemptor : evictions_.OnGone(uid)) queue_.Activate(preemptor);
  if (held) {
    queue_.OnEvent(Gone(pod));
  } else if (!pod->status.nominated_node_name.empty()) {
    queue_.OnEvent(Gone(pod), {.highest_priority = pod->Priority(), .except = {}});
  }
}

void Scheduler::OnNodeAdd(const std::shared_ptr<const Node>& node) {
  cache_.SetNode(node);
  queue_.OnEvent(NodeChange(ClusterEvent::kNodeAdd, nullptr, node));
}

void Scheduler::OnNodeUpdate(const std::shared_ptr<const Node>& old,
                             const std::shared_ptr<const Node>& node) {
  const std::vector<ClusterEvent> events = NodeEvents(*old, *node);
  cache_.SetNode(node);
  for (ClusterEvent event : events) queue_.OnEvent(NodeChange(event, old, node));
}

void Scheduler::OnNodeDelete(const std::shared_ptr<const Node>& node) {
  cache_.RemoveNode(node->metadata.name);
  queue_.OnEvent(NodeChange(ClusterEvent::kNodeDelete, node, node));
}

}  // namespace leadline

// What the watches say, brought into the books and the queue.
#include "leadline/core/cluster_events.h"
#include "leadline/core/scheduler.h"

namespace leadline {
namespace {

// On a node and still holding something there.
bool Assigned(const Pod& pod) { return !pod.spec.node_name.empty() && !pod.Finished(); }

}  // namespace

void Scheduler::OnPodAdd(const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  if (Assigned(*pod)) {
    cache_.SetPod(pod);
    queue_.Remove(uid);
    queue_.OnEvent({ClusterEvent::kAssignedPodAdd, nullptr, pod, {}, {}});
  } else if (pod->Finished()) {
    queue_.Remove(uid);  // failed before it got a node
  } else if (ProfileOf(*pod) != nullptr && (!cache_.IsAssumed(uid) || queue_.Contains(uid))) {
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
    if (waits && !WaitingPodChanged(*old, *pod)) return queue_.Refresh(pod);
    return OnPodAdd(pod);
  }
  cache_.SetPod(pod);
  if (AssignedPodChanged(*old, *pod)) {
    queue_.OnEvent({ClusterEvent::kAssignedPodUpdate, old, pod, {}, {}});
  }
}

void Scheduler::OnPodDelete(const std::shared_ptr<const Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  const bool held = !cache_.NodeOf(uid).empty();
  queue_.Remove(uid);
  cache_.RemovePod(uid);
  if (held) queue_.OnEvent({ClusterEvent::kAssignedPodDelete, pod, pod, {}, {}});
}

void Scheduler::OnNodeAdd(const std::shared_ptr<const Node>& node) {
  cache_.SetNode(node);
  queue_.OnEvent({ClusterEvent::kNodeAdd, {}, {}, nullptr, node});
}

void Scheduler::OnNodeUpdate(const std::shared_ptr<const Node>& old,
                             const std::shared_ptr<const Node>& node) {
  const std::vector<ClusterEvent> events = NodeEvents(*old, *node);
  cache_.SetNode(node);
  for (ClusterEvent event : events) queue_.OnEvent({event, {}, {}, old, node});
}

void Scheduler::OnNodeDelete(const std::shared_ptr<const Node>& node) {
  cache_.RemoveNode(node->metadata.name);
  queue_.OnEvent({ClusterEvent::kNodeDelete, {}, {}, node, node});
}

}  // namespace leadline

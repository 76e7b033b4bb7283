#include "priority_sort.h"

#include "leadline/framework/queued_pod_info.h"

namespace leadline {

bool PrioritySort::Less(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
  const int left = a.pod->pod->Priority();
  const int right = b.pod->pod->Priority();
  return left != right ? left > right : a.queued_at < b.queued_at;
}

}  // namespace leadline

// Pods that leave their node for a more important one.
// k8s.io/kubernetes/pkg/scheduler/framework/preemption, executor.go.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/core/cluster_writer.h"
#include "leadline/framework/snapshot.h"

namespace leadline {

// Thread-safe.
class Evictions {
 public:
  // `on_failed` is told the UID of a Pod that must not wait for its victims: one of them could not
  // be deleted. From any thread. `writer` must outlive it, and end before it does.
  Evictions(ClusterWriter& writer, std::function<void(const std::string& preemptor)> on_failed)
      : writer_(writer), on_failed_(std::move(on_failed)) {}

  // Deletes those of `victims`, all on `node`, that are not terminating already.
  void Start(const std::shared_ptr<const Pod>& preemptor, const std::string& node,
             const std::vector<std::shared_ptr<const PodInfo>>& victims);
  // Whether the snapshot still shows victims of the Pod as if nobody had touched them: whom to
  // evict must not be judged by it.
  bool UnderWay(const std::string& preemptor, const Snapshot& snapshot);
  // A Pod has left its node. Returns the UIDs of those whose last victim it was: what they still
  // wait for may have nothing to do with it, so nothing else may wake them.
  std::vector<std::string> OnGone(std::string_view victim);
  // The Pod itself is gone, or on a node.
  void Forget(std::string_view preemptor);

 private:
  struct Batch {
    std::string node;
    std::set<std::string, std::less<>> victims;  // UIDs
  };

  void OnDone(const std::shared_ptr<const Pod>& preemptor, const Pod& victim,
              const std::string& node, const Result<void>& result);

  ClusterWriter& writer_;
  const std::function<void(const std::string&)> on_failed_;
  std::mutex mutex_;
  std::map<std::string, Batch, std::less<>> batches_;  // by preemptor's UID
};

}  // namespace leadline

// Lets only the leader write.
#pragma once

#include <memory>
#include <utility>

#include "leadline/core/cluster_writer.h"
#include "leadline/kubernetes/leader_elector.h"

namespace leadline {

// What a deposed leader still wants to write is refused here, before it is sent. Both must outlive
// it.
class LeaderGate : public ClusterWriter {
 public:
  LeaderGate(ClusterWriter& writer, const LeaderElector& elector)
      : writer_(writer), elector_(elector) {}

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override {
    if (elector_.IsLeader()) return writer_.Bind(std::move(pod), node, std::move(done));
    done(Error(ErrorCode::kCancelled, "not the leader any more"));
  }
  void RecordEvent(const Pod& pod, const PodEvent& event) override {
    if (elector_.IsLeader()) writer_.RecordEvent(pod, event);
  }
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override {
    if (elector_.IsLeader()) writer_.SetUnscheduled(pod, reason, message);
  }
  void SetNominatedNode(const Pod& pod, const std::string& node) override {
    if (elector_.IsLeader()) writer_.SetNominatedNode(pod, node);
  }
  void Evict(std::shared_ptr<const Pod> pod, const std::string& message,
             std::function<void(Result<void>)> done) override {
    if (elector_.IsLeader()) return writer_.Evict(std::move(pod), message, std::move(done));
    done(Error(ErrorCode::kCancelled, "not the leader any more"));
  }

 private:
  ClusterWriter& writer_;
  const LeaderElector& elector_;
};

}  // namespace leadline

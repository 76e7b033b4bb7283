// All that the scheduler ever writes to the API server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leadline/base/result.h"
#include "leadline/framework/node_info.h"

namespace leadline {

struct PodEvent {
  bool warning = false;
  std::string reason;  // "Scheduled", "FailedScheduling", ...
  std::string action;  // "Binding", "Scheduling"
  std::string note;
  std::shared_ptr<const Pod> related = nullptr;  // another Pod that has to do with it, or none
};

// Asynchronous: no call waits for the network. Thread-safe.
class ClusterWriter {
 public:
  virtual ~ClusterWriter() = default;

  // Through the Binding subresource, with the Pod's UID as precondition. `done` is called exactly
  // once, from any thread, when it is certain whether the Pod is on that node: an unclear outcome
  // (time-out, reset) is cleared up by reading the Pod. An Error means that it is not there by us:
  // kNotFound when the Pod is gone, kConflict when it is on another node.
  virtual void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
                    std::function<void(Result<void>)> done) = 0;
  virtual void RecordEvent(const Pod& pod, const PodEvent& event) = 0;
  // PodScheduled=False with this reason and message.
  virtual void SetUnscheduled(const Pod& pod, const std::string& reason,
                              const std::string& message) = 0;
  // status.nominatedNodeName; an empty node clears it.
  virtual void SetNominatedNode(const Pod& pod, const std::string& node) = 0;
  // Deletes the Pod, by its UID, after the condition DisruptionTarget with this message. `done` is
  // called exactly once, from any thread: kNotFound when it was gone already.
  virtual void Evict(std::shared_ptr<const Pod> pod, const std::string& message,
                     std::function<void(Result<void>)> done) = 0;
};

// Dry run: nothing is written, every binding succeeds at once. Nobody is evicted, so that a Pod
// waits on for its victims to go.
class NoWriter : public ClusterWriter {
 public:
  void Bind(std::shared_ptr<const Pod>, const std::string&,
            std::function<void(Result<void>)> done) override {
    done({});
  }
  void RecordEvent(const Pod&, const PodEvent&) override {}
  void SetUnscheduled(const Pod&, const std::string&, const std::string&) override {}
  void SetNominatedNode(const Pod&, const std::string&) override {}
  void Evict(std::shared_ptr<const Pod>, const std::string&,
             std::function<void(Result<void>)> done) override {
    done({});
  }
};

}  // namespace leadline

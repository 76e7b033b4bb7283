// Bindings, Events and conditions, written to the real API server.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leadline/core/cluster_writer.h"
#include "leadline/kubernetes/api_client.h"
#include "leadline/kubernetes/event_recorder.h"

namespace leadline {

// Bind() gives an Error of kNotFound when the Pod is gone and of kConflict when it is on another
// node; whatever else the code, the Pod is on no node by us. After an unclear answer (time-out,
// reset, 5xx) the Pod is read until the API server tells; if it has no node, the same Binding is
// posted once more, never one to a different node.
//
// Thread-safe. `api` and `events` must outlive it and every binding under way.
class ApiClusterWriter : public ClusterWriter {
 public:
  // Bindings beyond `max_in_flight` wait for their turn.
  ApiClusterWriter(ApiClient& api, EventRecorder& events, std::size_t max_in_flight = 64);
  ~ApiClusterWriter() override;

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override;
  void RecordEvent(const Pod& pod, const PodEvent& event) override;
  // A condition that cannot be written is logged, and written by the next attempt.
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override;
  // As SetUnscheduled.
  void SetNominatedNode(const Pod& pod, const std::string& node) override;
  void Evict(std::shared_ptr<const Pod> pod, const std::string& message,
             std::function<void(Result<void>)> done) override;

 private:
  class Binder;
  std::shared_ptr<Binder> binder_;
  ApiClient& api_;
  EventRecorder& events_;
};

}  // namespace leadline

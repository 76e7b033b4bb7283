// Writes to a real API server.
#pragma once

#include <string>

#include "leadline/core/cluster_writer.h"
#include "leadline/kubernetes/api_client.h"
#include "leadline/kubernetes/event_recorder.h"

namespace leadline {

// Thread-safe. `api` and `events` must outlive it and every binding under way.
class ApiClusterWriter : public ClusterWriter {
 public:
  ApiClusterWriter(ApiClient& api, EventRecorder& events) : api_(api), events_(events) {}

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override;
  void RecordEvent(const Pod& pod, const PodEvent& event) override;
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override;

 private:
  ApiClient& api_;
  EventRecorder& events_;
};

}  // namespace leadline

// Bindings, Events and conditions, written to the real API server.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/core/cluster_writer.h"
#include "leadline/kubernetes/api_client.h"
#include "leadline/kubernetes/event_recorder.h"

namespace leadline {

struct ApiWriterOptions {
  std::size_t max_bindings_in_flight = 64;  // further ones wait for their turn
  // Between two looks at a Pod whose binding had no clear outcome; doubled up to the second.
  std::chrono::milliseconds first_pause{200};
  std::chrono::milliseconds longest_pause{5'000};
};

// Bind() gives an Error of kNotFound when the Pod is gone and of kConflict when it is on another
// node; whatever else the code, the Pod is on no node. After an unclear answer (time-out, reset,
// 5xx) the Pod is read until the API server tells; if it has no node, the same Binding is posted
// once more, never one to a different node.
//
// Thread-safe. `api`, `events` and `clock` must outlive it. Stop the io_context before destroying
// it: a `done` not called by then never will be.
class ApiWriter : public ClusterWriter {
 public:
  ApiWriter(boost::asio::io_context& io, ApiClient& api, EventRecorder& events,
            ApiWriterOptions options = {}, const Clock& clock = Clock::Real());
  ~ApiWriter() override;

  void Bind(std::shared_ptr<const Pod> pod, const std::string& node,
            std::function<void(Result<void>)> done) override;
  void RecordEvent(const Pod& pod, const PodEvent& event) override;
  // A condition that cannot be written is logged, and written by the next attempt.
  void SetUnscheduled(const Pod& pod, const std::string& reason,
                      const std::string& message) override;

 private:
  class Binder;
  std::shared_ptr<Binder> binder_;
  ApiClient& api_;
  EventRecorder& events_;
  const Clock& clock_;
};

}  // namespace leadline

// Events that tell people what was decided about an object (kubectl describe, kubectl events).
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "leadline/base/clock.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

struct ObjectReference {
  std::string api_version = "v1";
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
};

struct Pod;
ObjectReference ReferenceTo(const Pod& pod);

struct Event {
  ObjectReference regarding;
  std::optional<ObjectReference> related;
  bool warning = false;  // type Warning, else Normal
  std::string reason;    // "FailedScheduling"; at most 128 bytes, as `action`
  std::string action;    // "Scheduling"
  std::string note;      // cut after 1024 bytes, never inside a character
};

struct EventRecorderOptions {
  std::string reporting_controller;  // "dqn-scheduler"
  std::string reporting_instance;    // "dqn-scheduler-HOST"
  std::size_t queue_size = 5000;     // Events that wait to be sent; further ones are dropped
  std::size_t max_series = 20'000;   // Events that are remembered for repeats
  int max_in_flight = 8;
  // An Event that repeats within this time makes the first one a series.
  std::chrono::nanoseconds series_window = std::chrono::minutes(6);
  // The second time is sent at once, later ones together this often.
  std::chrono::nanoseconds flush_interval = std::chrono::minutes(1);
  // New Events about one object: so many at once, then one each `refill` (a token bucket, with
  // the numbers of client-go's EventSourceObjectSpamFilter).
  int burst = 25;
  std::chrono::nanoseconds refill = std::chrono::minutes(5);
  const Clock* clock = &Clock::Real();
};

// Monotonic, for metrics.
struct EventCounters {
  std::atomic<std::uint64_t> created = 0;
  std::atomic<std::uint64_t> updated = 0;       // series that were written
  std::atomic<std::uint64_t> dropped_full = 0;  // no room
  std::atomic<std::uint64_t> dropped_rate = 0;  // too many about one object
  std::atomic<std::uint64_t> failed = 0;        // the API server would not have it
};

// Thread-safe. Must not outlive `io` and `api`.
class EventRecorder {
 public:
  EventRecorder(boost::asio::io_context& io, ApiClient& api, EventRecorderOptions options);
  ~EventRecorder();  // Events not sent yet are lost
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  // Never waits and never fails; what could not be sent is counted.
  void Record(Event event);

  const EventCounters& counters() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

// The first bytes of `text`, at most `limit`, without a character cut in two (UTF-8).
std::string TruncateUtf8(std::string text, std::size_t limit);

}  // namespace leadline

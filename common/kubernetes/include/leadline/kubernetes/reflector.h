// Keeps somebody informed of every object of one kind: lists all, then watches for changes, and
// starts over when the watch cannot be continued.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "leadline/kubernetes/api_client.h"
#include "leadline/kubernetes/watch_stream.h"

namespace leadline {

// The two questions that a reflector asks about one kind of object.
class ListerWatcher {
 public:
  // `path` as "/api/v1/pods"; selectors in the API's own form, empty for all.
  ListerWatcher(std::string path, std::string label_selector = {}, std::string field_selector = {});

  // One page; `limit` 0: everything at once.
  ApiRequest List(int limit, const std::string& continue_token) const;
  // Changes after `resource_version`, with bookmarks, which the server ends after `timeout`.
  ApiRequest Watch(const std::string& resource_version, std::chrono::seconds timeout) const;

  const std::string& path() const { return path_; }

 private:
  ApiRequest Base() const;

  std::string path_;
  std::string label_selector_;
  std::string field_selector_;
};

// Called on the io_context, one call at a time.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;

  // A list: Begin, an Item each, End; what was not among them is gone. A list that fails half way
  // starts over with another Begin. The JSON is valid during the call.
  virtual void OnReplaceBegin() = 0;
  virtual void OnReplaceItem(std::string_view json) = 0;
  virtual void OnReplaceEnd(std::string_view resource_version) = 0;
  // kAdded, kModified or kDeleted (then with the object's last state).
  virtual void OnEvent(WatchEventType type, const ObjectIdentity& identity,
                       std::string_view json) = 0;
};

struct ReflectorOptions {
  int page_size = 500;
  // Each watch asks the server for a time between these two, so that not all end together.
  std::chrono::seconds min_watch{300};
  std::chrono::seconds max_watch{600};
  // A watch is taken for dead when nothing, not even a bookmark, came for this long: at first
  // the time asked for plus `stall_margin`, `bookmark_limit` once bookmarks have been seen (API
  // servers send one about every minute).
  std::chrono::milliseconds stall_margin{30'000};
  std::chrono::milliseconds bookmark_limit{180'000};
  // Between failed attempts: decorrelated jitter (https://aws.amazon.com/builders-library/
  // timeouts-retries-and-backoff-with-jitter/), never less than the server's Retry-After.
  std::chrono::milliseconds first_backoff{800};
  std::chrono::milliseconds max_backoff{30'000};
  std::size_t max_object_bytes = std::size_t{32} << 20;
  // The API server may be too old (or too new) to know this kind. As long as no list has been
  // answered, 404 then stands for an empty one: said once in the log, and asked again after
  // `absent_retry`. A kind that has been there stays as known: its 404 is a failure like any
  // other, of a proxy or of one server of several that is being upgraded.
  bool may_be_absent = false;
  std::chrono::milliseconds absent_retry{300'000};
};

// Monotonic counters, for metrics.
struct ReflectorCounters {
  std::atomic<std::uint64_t> lists = 0;    // that were completed
  std::atomic<std::uint64_t> watches = 0;  // that were begun
  std::atomic<std::uint64_t> events = 0;   // without bookmarks
  std::atomic<std::uint64_t> bookmarks = 0;
  std::atomic<std::uint64_t> expired = 0;   // 410 Gone, of lists and watches
  std::atomic<std::uint64_t> failures = 0;  // of lists and watches, for whatever reason
};

// Start() and Stop() from any thread. After Stop() or the destructor has returned the sink is not
// called (a call under way on another thread is waited for; both may be called from the sink).
class Reflector {
 public:
  // `io`, `api` and `sink` must outlive it.
  Reflector(boost::asio::io_context& io, ApiClient& api, ListerWatcher what, ReflectorSink& sink,
            ReflectorOptions options = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void Start();
  void Stop();

  // A whole list has been handed over at least once, be it that of an absent kind. Thread-safe.
  bool HasSynced() const;
  const ReflectorCounters& counters() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace leadline

#include "leadline/kubernetes/event_recorder.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <deque>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "event_json.h"
#include "token_buckets.h"

namespace leadline {

namespace asio = boost::asio;

// Everything but Record() runs on the strand.
class EventRecorder::Impl : public std::enable_shared_from_this<EventRecorder::Impl> {
 public:
  Impl(asio::io_context& io, ApiClient& api, EventRecorderOptions options)
      : strand_(asio::make_strand(io)),
        api_(api),
        options_(std::move(options)),
        timer_(strand_),
        buckets_(options_.burst, options_.refill) {}

  void Start();
  void Stop();
  void Record(Event event);
  const EventCounters& counters() const { return counters_; }

 private:
  void Drain();
  void Take(Event event);
  void Enqueue(EventSeries& series, const std::string& key);
  void Pump();
  void Send(const std::string& key, EventSeries& series);
  void OnSent(const std::string& key, int count, ApiResult<ApiResponse> result);
  void OnRefused(const std::string& key, EventSeries& series, const ApiError& error);
  std::string NewName(const Event& event);
  void Flush();

  const asio::strand<asio::io_context::executor_type> strand_;
  ApiClient& api_;
  const EventRecorderOptions options_;
  asio::steady_timer timer_;
  EventCounters counters_;

  std::mutex mutex_;
  std::deque<Event> recorded_;  // by mutex_
  bool stopped_ = false;        // by mutex_

  std::unordered_map<std::string, EventSeries> series_;
  TokenBuckets buckets_;
  std::deque<std::string> ready_;  // keys of series_ that wait to be sent
  int in_flight_ = 0;
  std::int64_t last_stamp_ = 0;
};

void EventRecorder::Impl::Start() {
  timer_.expires_after(options_.flush_interval);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code code) {
    const auto self = weak.lock();
    if (!code && self != nullptr) {
      self->Flush();
    }
  });
}

void EventRecorder::Impl::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  asio::post(strand_, [self = shared_from_this()] { self->timer_.cancel(); });
}

void EventRecorder::Impl::Record(Event event) {
  const std::lock_guard lock(mutex_);
  if (recorded_.size() >= options_.queue_size) {
    ++counters_.dropped_full;
    return;
  }
  recorded_.push_back(std::move(event));
  if (recorded_.size() == 1) {
    asio::post(strand_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->Drain();
      }
    });
  }
}

void EventRecorder::Impl::Drain() {
  std::deque<Event> recorded;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return;
    }
    recorded.swap(recorded_);
  }
  for (Event& event : recorded) {
    Take(std::move(event));
  }
  Pump();
}

void EventRecorder::Impl::Take(Event event) {
  const std::string key = SeriesKey(event);
  const SteadyTime now = options_.clock->SteadyNow();
  auto found = series_.find(key);
  if (found != series_.end() && now - found->second.last_steady > options_.series_window &&
      !found->second.busy && !found->second.queued) {
    series_.erase(found);  // too long ago to be a repeat
    found = series_.end();
  }
  if (found == series_.end()) {
    if (ready_.size() >= options_.queue_size || series_.size() >= options_.max_series) {
      ++counters_.dropped_full;
      return;
    }
    if (!buckets_.Take(event.regarding.kind + "/" + event.regarding.uid, now)) {
      ++counters_.dropped_rate;
      return;
    }
    found = series_.emplace(key, EventSeries{}).first;
    found->second.name = NewName(event);
    found->second.event = std::move(event);
    found->second.first_seen = options_.clock->Now();
  }
  EventSeries& series = found->second;
  series.last_seen = options_.clock->Now();
  series.last_steady = now;
  if (++series.count <= 2) {
    Enqueue(series, key);
  }
}

std::string EventRecorder::Impl::NewName(const Event& event) {
  constexpr std::size_t kMaxName = 253;
  const std::int64_t now =
      std::chrono::nanoseconds(options_.clock->Now().time_since_epoch()).count();
  last_stamp_ = std::max(last_stamp_ + 1, now);
  const std::string suffix = fmt::format(".{:x}", last_stamp_);
  return TruncateUtf8(event.regarding.name, kMaxName - suffix.size()) + suffix;
}

void EventRecorder::Impl::Enqueue(EventSeries& series, const std::string& key) {
  if (!series.queued && !series.busy && series.count > series.sent_count) {
    series.queued = true;
    ready_.push_back(key);
  }
}

void EventRecorder::Impl::Pump() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return;  // the API client may be gone
    }
  }
  while (in_flight_ < options_.max_in_flight && !ready_.empty()) {
    const std::string key = std::move(ready_.front());
    ready_.pop_front();
    Send(key, series_.at(key));
  }
}

void EventRecorder::Impl::Send(const std::string& key, EventSeries& series) {
  series.queued = false;
  series.busy = true;
  ++in_flight_;
  ApiRequest request;
  const bool create = series.sent_count == 0;
  request.method = create ? "POST" : "PATCH";
  request.path = EventsPath(series.event, create ? "" : series.name);
  request.body = create ? EventJson(series, options_) : SeriesPatchJson(series);
  request.content_type = create ? "application/json" : "application/merge-patch+json";
  request.idempotent = true;  // the name is fixed: a second create is told that it exists
  api_.Send(std::move(request), [weak = weak_from_this(), strand = strand_, key,
                                 count = series.count](ApiResult<ApiResponse> result) {
    asio::post(strand, [weak, key, count, answer = std::move(result)] {
      if (const auto self = weak.lock()) {
        self->OnSent(key, count, answer);
      }
    });
  });
}

void EventRecorder::Impl::OnSent(const std::string& key, int count, ApiResult<ApiResponse> result) {
  --in_flight_;
  EventSeries& series = series_.at(key);
  series.busy = false;
  const bool created = series.sent_count == 0;
  if (result || (created && result.error().code == ErrorCode::kAlreadyExists)) {
    ++(created ? counters_.created : counters_.updated);
    series.sent_count = count;
    if (series.count > 1 && count == 1) {
      Enqueue(series, key);  // it repeated while the first was on its way
    }
  } else {
    OnRefused(key, series, result.error());
  }
  Pump();
}

void EventRecorder::Impl::OnRefused(const std::string& key, EventSeries& series,
                                    const ApiError& error) {
  if (series.sent_count > 0 && error.code == ErrorCode::kNotFound) {
    series.sent_count = 0;  // Events are deleted after a while: make it again
    series.name = NewName(series.event);
    return Enqueue(series, key);
  }
  ++counters_.failed;
  spdlog::debug("Event {} on {}: {}", series.event.reason, series.event.regarding.name,
                error.ToError().message());
  if (series.sent_count == 0) {
    series_.erase(key);
  }
}

void EventRecorder::Impl::Flush() {
  const SteadyTime now = options_.clock->SteadyNow();
  std::erase_if(series_, [&](const auto& entry) {
    const EventSeries& series = entry.second;
    const auto idle = now - series.last_steady;
    const bool told = series.count == series.sent_count || idle > 2 * options_.series_window;
    return !series.busy && !series.queued && told && idle > options_.series_window;
  });
  for (auto& [key, series] : series_) {
    Enqueue(series, key);
  }
  buckets_.Sweep(now);
  Pump();
  Start();
}

EventRecorder::EventRecorder(asio::io_context& io, ApiClient& api, EventRecorderOptions options)
    : impl_(std::make_shared<Impl>(io, api, std::move(options))) {
  impl_->Start();
}

EventRecorder::~EventRecorder() { impl_->Stop(); }

void EventRecorder::Record(Event event) { impl_->Record(std::move(event)); }

const EventCounters& EventRecorder::counters() const { return impl_->counters(); }

}  // namespace leadline

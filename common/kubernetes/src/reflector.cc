#include "leadline/kubernetes/reflector.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <optional>
#include <random>

#include <spdlog/spdlog.h>

#include "backoff.h"

namespace leadline {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::seconds kStallCheck(15);
constexpr int kNotFound = 404;
Error Over() { return Error(ErrorCode::kCancelled, "the watch is over"); }

}  // namespace

// One thing at a time is under way: a page of a list, a watch, or a wait. `lock_` makes the steps
// safe where the io_context runs on several threads, and lets Stop() wait for one.
class Reflector::Impl : public std::enable_shared_from_this<Reflector::Impl> {
 public:
  Impl(asio::io_context& io, ApiClient& api, ListerWatcher what, ReflectorSink& sink,
       const ReflectorOptions& options)
      : io_(io),
        api_(api),
        what_(std::move(what)),
        sink_(sink),
        options_(options),
        rng_(std::random_device()()),
        backoff_(options.first_backoff, options.max_backoff, rng_.NextU64()),
        timer_(io),
        splitter_(options.max_object_bytes) {}

  void Start();
  void Stop();
  bool synced() const { return synced_; }
  const ReflectorCounters& counters() const { return counters_; }

 private:
  using Step = void (Impl::*)();

  void BeginList();
  void AskForPage(const std::string& continue_token);
  void OnPage(const std::string& continue_token, ApiResult<ApiResponse> result);
  void OnListFailed(bool continued, const ApiError& error);
  void OnAbsent(const ApiError& error);
  void BeginWatch();
  Result<void> OnLine(std::string_view line);
  void OnWatchEnd(const ApiResult<ApiResponse>& result);
  Result<void> OnData(std::uint64_t step, std::string_view piece);
  void WatchForStall();
  void Later(milliseconds delay, Step step);
  void Fail(const ApiError& error, Step again);
  template <typename Body>
  auto Guarded(Body body);

  asio::io_context& io_;
  ApiClient& api_;
  const ListerWatcher what_;
  ReflectorSink& sink_;
  const ReflectorOptions options_;
  Rng rng_;
  Backoff backoff_;
  asio::steady_timer timer_;  // backoff while waiting, stall detection while watching
  ReflectorCounters counters_;
  std::atomic<bool> synced_ = false;

  std::recursive_mutex lock_;
  bool stopped_ = false;
  std::uint64_t step_ = 0;  // what belongs to an earlier step is ignored
  ApiClient::RequestId request_ = 0;
  bool full_list_ = false;  // without pages, after a page token had expired
  bool present_ = false;    // some list was answered
  bool absent_ = false;     // none was yet, and that has been said
  std::string resource_version_;
  LineSplitter splitter_;
  bool heard_ = false;      // this watch brought something
  bool broken_ = false;     // this watch brought what makes no sense
  bool bookmarks_ = false;  // some watch brought a bookmark
  std::optional<ApiError> watch_error_;
  std::chrono::steady_clock::time_point last_byte_;
  milliseconds stall_limit_{0};
};

// Wraps a callback of the present step: it does nothing once that step is over.
template <typename Body>
auto Reflector::Impl::Guarded(Body body) {
  return [weak = weak_from_this(), step = step_, body](auto&&... arguments) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const std::lock_guard lock(self->lock_);
    if (!self->stopped_ && self->step_ == step) {
      body(*self, std::forward<decltype(arguments)>(arguments)...);
    }
  };
}

void Reflector::Impl::Start() {
  const std::lock_guard lock(lock_);
  asio::post(io_, Guarded([](Impl& self) { self.BeginList(); }));
}

void Reflector::Impl::Stop() {
  const std::lock_guard lock(lock_);
  if (std::exchange(stopped_, true)) {
    return;
  }
  ++step_;
  if (request_ != 0) api_.Cancel(request_);
  asio::post(io_, [self = shared_from_this()] {
    const std::lock_guard locked(self->lock_);
    self->timer_.cancel();
  });
}

void Reflector::Impl::BeginList() {
  sink_.OnReplaceBegin();
  AskForPage({});
}

void Reflector::Impl::AskForPage(const std::string& continue_token) {
  ++step_;
  const int limit = full_list_ ? 0 : options_.page_size;
  request_ = api_.Send(what_.List(limit, continue_token),
                       Guarded([continue_token](Impl& self, ApiResult<ApiResponse> result) {
                         self.OnPage(continue_token, std::move(result));
                       }));
}

void Reflector::Impl::OnPage(const std::string& continue_token, ApiResult<ApiResponse> result) {
  if (!result) {
    return OnListFailed(!continue_token.empty(), result.error());
  }
  const auto page = ParseListPage(result->body);
  if (!page) {
    return OnListFailed(false, ApiErrorFrom(page.error()));
  }
  const std::uint64_t step = step_;
  for (const std::string_view item : page->items) {
    sink_.OnReplaceItem(item);
    if (step != step_) return;  // stopped by the sink
  }
  if (!page->continue_token.empty()) {
    return AskForPage(page->continue_token);
  }
  full_list_ = false;
  resource_version_ = page->resource_version;
  ++counters_.lists;
  present_ = true;
  if (std::exchange(absent_, false)) {
    spdlog::info("list of {}: the API server knows this kind now", what_.path());
  }
  sink_.OnReplaceEnd(resource_version_);
  if (step != step_) return;
  synced_ = true;
  backoff_.Reset();
  BeginWatch();
}

void Reflector::Impl::OnListFailed(bool continued, const ApiError& error) {
  if (error.code == ErrorCode::kGone && continued) {
    ++counters_.expired;
    full_list_ = true;
    return BeginList();
  }
  if (options_.may_be_absent && !present_ && !continued && error.status == kNotFound) {
    return OnAbsent(error);
  }
  Fail(error, &Impl::BeginList);
}

void Reflector::Impl::OnAbsent(const ApiError& error) {
  backoff_.Reset();
  if (!std::exchange(absent_, true)) {
    spdlog::warn("list of {}: the API server does not know this kind; taken for empty",
                 what_.path());
    const std::uint64_t step = step_;
    sink_.OnReplaceEnd({});
    if (step != step_) return;  // stopped by the sink
    synced_ = true;
  }
  Later(std::max<milliseconds>(options_.absent_retry, error.retry_after), &Impl::BeginList);
}

void Reflector::Impl::BeginWatch() {
  ++step_;
  const auto span = static_cast<std::uint64_t>((options_.max_watch - options_.min_watch).count());
  const auto timeout = options_.min_watch + std::chrono::seconds(rng_.Below(span + 1));
  ApiRequest request = what_.Watch(resource_version_, timeout);
  request.on_data = [weak = weak_from_this(), step = step_](std::string_view piece) {
    const auto self = weak.lock();
    return self == nullptr ? Result<void>(Over()) : self->OnData(step, piece);
  };
  splitter_.Clear();
  heard_ = false;
  broken_ = false;
  watch_error_.reset();
  last_byte_ = std::chrono::steady_clock::now();
  stall_limit_ = timeout + options_.stall_margin;
  ++counters_.watches;
  request_ = api_.Send(std::move(request), Guarded([](Impl& self, ApiResult<ApiResponse> result) {
                         self.OnWatchEnd(result);
                       }));
  WatchForStall();
}

Result<void> Reflector::Impl::OnData(std::uint64_t step, std::string_view piece) {
  const std::lock_guard lock(lock_);
  if (stopped_ || step_ != step) {
    return Over();
  }
  last_byte_ = std::chrono::steady_clock::now();
  const Result<void> taken =
      splitter_.Feed(piece, [this](std::string_view line) { return OnLine(line); });
  broken_ = !taken && !watch_error_;
  return taken;
}

void Reflector::Impl::WatchForStall() {
  const auto now = std::chrono::steady_clock::now();
  const auto deadline =
      last_byte_ + (bookmarks_ ? std::min(stall_limit_, options_.bookmark_limit) : stall_limit_);
  if (deadline <= now) {
    api_.Cancel(request_);
    return Fail(ApiErrorFrom(Error(ErrorCode::kTimeout, "the watch fell silent")),
                &Impl::BeginWatch);
  }
  timer_.expires_at(std::min(deadline, now + kStallCheck));
  timer_.async_wait(Guarded([](Impl& self, boost::system::error_code code) {
    if (!code) self.WatchForStall();
  }));
}

Result<void> Reflector::Impl::OnLine(std::string_view line) {
  const auto event = ParseWatchEvent(line);
  if (!event) {
    return event.error();
  }
  if (event->type == WatchEventType::kError) {
    watch_error_ = ParseApiStatus(event->object);
    return watch_error_->ToError();
  }
  heard_ = true;
  backoff_.Reset();
  if (event->type == WatchEventType::kBookmark) {
    bookmarks_ = true;
    ++counters_.bookmarks;
  } else {
    ++counters_.events;
    const std::uint64_t step = step_;
    sink_.OnEvent(event->type, event->identity, event->object);
    if (step != step_) {
      return Over();
    }
  }
  resource_version_ = event->identity.resource_version;
  return {};
}

void Reflector::Impl::OnWatchEnd(const ApiResult<ApiResponse>& result) {
  timer_.cancel();
  if (result) {
    // The server's own time-out. A watch that ends at once without a word must not spin.
    return heard_ ? BeginWatch() : Later(backoff_.Next(), &Impl::BeginWatch);
  }
  const ApiError error = watch_error_ ? *watch_error_ : result.error();
  if (error.code == ErrorCode::kGone || error.reason == "Expired" || error.reason == "Gone") {
    ++counters_.expired;
    spdlog::info("watch of {}: the version is too old, listing again", what_.path());
    return Later(heard_ ? milliseconds(0) : backoff_.Next(), &Impl::BeginList);
  }
  // After a stream that makes no sense, what came next is unknown: only a list can tell.
  Fail(error, broken_ ? &Impl::BeginList : &Impl::BeginWatch);
}

void Reflector::Impl::Fail(const ApiError& error, Step again) {
  ++counters_.failures;
  const milliseconds delay = std::max<milliseconds>(backoff_.Next(), error.retry_after);
  spdlog::warn("{} of {}: {}; again in {} ms", again == &Impl::BeginList ? "list" : "watch",
               what_.path(), error.ToError().message(), delay.count());
  Later(delay, again);
}

void Reflector::Impl::Later(milliseconds delay, Step step) {
  ++step_;
  request_ = 0;
  timer_.expires_after(delay);
  timer_.async_wait(Guarded([step](Impl& self, boost::system::error_code code) {
    if (!code) (self.*step)();
  }));
}

Reflector::Reflector(asio::io_context& io, ApiClient& api, ListerWatcher what, ReflectorSink& sink,
                     ReflectorOptions options)
    : impl_(std::make_shared<Impl>(io, api, std::move(what), sink, options)) {}

Reflector::~Reflector() { impl_->Stop(); }

void Reflector::Start() { impl_->Start(); }

void Reflector::Stop() { impl_->Stop(); }

bool Reflector::HasSynced() const { return impl_->synced(); }

const ReflectorCounters& Reflector::counters() const { return impl_->counters(); }

}  // namespace leadline

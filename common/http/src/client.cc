#include "leadline/http/client.h"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <unordered_map>

#include "client_transfer.h"
#include "curl_loop.h"
#include "leadline/http/call_gate.h"

namespace leadline {

namespace asio = boost::asio;

class HttpClient::Impl : public std::enable_shared_from_this<HttpClient::Impl> {
 public:
  Impl(asio::io_context& io, HttpTlsOptions tls)
      : strand_(asio::make_strand(io)), tls_(std::move(tls)) {}
  ~Impl();

  void Open();
  RequestId Send(HttpRequest request, Handler handler);
  void Cancel(RequestId id);
  void Stop();

 private:
  struct Exchange {
    explicit Exchange(const CurlLoop::Strand& strand) : idle(strand) {}
    std::unique_ptr<Transfer> transfer;
    Handler handler;
    asio::steady_timer idle;
  };
  using Exchanges = std::unordered_map<RequestId, std::unique_ptr<Exchange>>;

  void Begin(RequestId id, HttpRequest request, Handler handler);
  void WatchIdle(RequestId id, Exchange& exchange);
  void OnDone(CURL* easy, CURLcode code);
  void Fail(RequestId id, ErrorCode code, std::string_view why);
  std::unique_ptr<Exchange> Take(Exchanges::iterator at);
  void Call(Handler handler, Result<HttpResponse> result);
  void Clear();

  CurlLoop::Strand strand_;
  const HttpTlsOptions tls_;
  std::shared_ptr<CurlLoop> loop_;
  std::atomic<RequestId> last_id_ = 0;
  Exchanges exchanges_;
  std::unordered_map<CURL*, RequestId> by_handle_;
  const std::shared_ptr<CallGate> gate_ = std::make_shared<CallGate>();
};

HttpClient::Impl::~Impl() { Clear(); }

void HttpClient::Impl::Open() {
  loop_ = std::make_shared<CurlLoop>(strand_, [weak = weak_from_this()](CURL* easy, CURLcode code) {
    if (const auto self = weak.lock()) {
      self->OnDone(easy, code);
    }
  });
}

HttpClient::RequestId HttpClient::Impl::Send(HttpRequest request, Handler handler) {
  const RequestId id = ++last_id_;
  // After Stop() the exchange may still receive until the strand has run.
  if (request.on_data) request.on_data = Gated(gate_, std::move(request.on_data));
  asio::post(strand_, [self = shared_from_this(), id, request = std::move(request),
                       handler = std::move(handler)]() mutable {
    self->gate_->Run([&] { self->Begin(id, std::move(request), std::move(handler)); });
  });
  return id;
}

void HttpClient::Impl::Begin(RequestId id, HttpRequest request, Handler handler) {
  auto transfer = Transfer::Make(std::move(request), tls_);
  if (!transfer) {
    return Call(std::move(handler), transfer.error());
  }
  auto exchange = std::make_unique<Exchange>(strand_);
  exchange->transfer = std::move(*transfer);
  exchange->handler = std::move(handler);
  CURL* const easy = exchange->transfer->easy();
  by_handle_[easy] = id;
  Exchange& kept = *exchanges_.emplace(id, std::move(exchange)).first->second;
  loop_->Add(easy);
  WatchIdle(id, kept);
}

void HttpClient::Impl::WatchIdle(RequestId id, Exchange& exchange) {
  const auto deadline = exchange.transfer->IdleDeadline();
  if (!deadline) {
    return;
  }
  exchange.idle.expires_at(*deadline);
  exchange.idle.async_wait([weak = weak_from_this(), id](boost::system::error_code code) {
    const auto self = weak.lock();
    if (code || self == nullptr) {
      return;
    }
    const auto found = self->exchanges_.find(id);
    if (found == self->exchanges_.end()) {
      return;
    }
    if (*found->second->transfer->IdleDeadline() <= std::chrono::steady_clock::now()) {
      return self->Fail(id, ErrorCode::kTimeout, "nothing arrived for too long");
    }
    self->WatchIdle(id, *found->second);
  });
}

std::unique_ptr<HttpClient::Impl::Exchange> HttpClient::Impl::Take(Exchanges::iterator at) {
  std::unique_ptr<Exchange> exchange = std::move(at->second);
  exchanges_.erase(at);
  by_handle_.erase(exchange->transfer->easy());
  loop_->Remove(exchange->transfer->easy());
  return exchange;
}

void HttpClient::Impl::OnDone(CURL* easy, CURLcode code) {
  const auto found = by_handle_.find(easy);
  if (found == by_handle_.end()) {
    return;
  }
  const std::unique_ptr<Exchange> exchange = Take(exchanges_.find(found->second));
  Call(std::move(exchange->handler), exchange->transfer->Finish(code));
}

void HttpClient::Impl::Fail(RequestId id, ErrorCode code, std::string_view why) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) {
    return;
  }
  const std::unique_ptr<Exchange> exchange = Take(found);
  Call(std::move(exchange->handler), exchange->transfer->Explain(Error(code, std::string(why))));
}

void HttpClient::Impl::Cancel(RequestId id) {
  asio::post(strand_, [self = shared_from_this(), id] {
    self->Fail(id, ErrorCode::kCancelled, "cancelled");
  });
}

void HttpClient::Impl::Call(Handler handler, Result<HttpResponse> result) {
  gate_->Run([&] { handler(std::move(result)); });
}

void HttpClient::Impl::Clear() {
  loop_->Shutdown();  // first: removing an exchange must not start new waits
  while (!exchanges_.empty()) {
    Take(exchanges_.begin());
  }
}

void HttpClient::Impl::Stop() {
  gate_->Close();
  asio::post(strand_, [self = shared_from_this()] { self->Clear(); });
}

HttpClient::HttpClient(asio::io_context& io, HttpTlsOptions tls) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  impl_ = std::make_shared<Impl>(io, std::move(tls));
  impl_->Open();
}

HttpClient::~HttpClient() { impl_->Stop(); }

HttpClient::RequestId HttpClient::Send(HttpRequest request, Handler handler) {
  return impl_->Send(std::move(request), std::move(handler));
}

void HttpClient::Cancel(RequestId id) { impl_->Cancel(id); }

Result<HttpResponse> HttpClient::SendAndWait(HttpRequest request) {
  auto answer = AwaitAnswer<Result<HttpResponse>>(
      [&](Handler handler) { Send(std::move(request), std::move(handler)); });
  if (answer) return std::move(*answer);
  return Error(ErrorCode::kCancelled, "the HTTP client stopped before the answer");
}

}  // namespace leadline

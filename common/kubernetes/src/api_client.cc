#include "leadline/kubernetes/api_client.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <deque>
#include <random>
#include <unordered_map>

#include "api_call.h"
#include "credentials.h"
#include "leadline/http/call_gate.h"

namespace leadline {

namespace asio = boost::asio;

class ApiClient::Impl : public std::enable_shared_from_this<ApiClient::Impl> {
 public:
  Impl(asio::io_context& io, ClientConfig config, ApiClientOptions options)
      : io_(io),
        strand_(asio::make_strand(io)),
        config_(std::move(config)),
        options_(std::move(options)),
        credentials_(std::make_shared<Credentials>(strand_, config_, *options_.clock)),
        rng_(std::random_device()()),
        http_(std::make_shared<HttpClient>(io_, config_.tls)) {}

  const ClientConfig& config() const { return config_; }
  RequestId Send(ApiRequest request, Handler handler);
  void Cancel(RequestId id);
  void Stop();

 private:
  void Admit();
  void Authenticate(RequestId id);
  void Attempt(RequestId id, const Credential& credential);
  void UseCertificate(const Credential& credential);
  void OnAnswer(RequestId id, Result<HttpResponse> result);
  void OnFailure(RequestId id, ApiError error);
  void Observe(const ApiCall& call, const Result<HttpResponse>& result) const;
  void End(RequestId id, ApiResult<ApiResponse> result);
  void Clear();

  asio::io_context& io_;
  const ApiCall::Strand strand_;
  const ClientConfig config_;
  const ApiClientOptions options_;
  const std::shared_ptr<Credentials> credentials_;
  Rng rng_;
  std::shared_ptr<HttpClient> http_;
  std::string certificate_;  // of http_, when a plugin gave it
  std::atomic<RequestId> last_id_ = 0;
  std::unordered_map<RequestId, std::unique_ptr<ApiCall>> calls_;
  std::deque<RequestId> waiting_;  // not begun
  int in_flight_ = 0;              // begun, without streams
  const std::shared_ptr<CallGate> gate_ = std::make_shared<CallGate>();
};

ApiClient::RequestId ApiClient::Impl::Send(ApiRequest request, Handler handler) {
  const RequestId id = ++last_id_;
  if (request.on_data) request.on_data = Gated(gate_, std::move(request.on_data));
  auto call = std::make_unique<ApiCall>(strand_, std::move(request), std::move(handler));
  asio::post(strand_, [self = shared_from_this(), id, kept = std::move(call)]() mutable {
    self->gate_->Run([&] {
      self->calls_.emplace(id, std::move(kept));
      self->waiting_.push_back(id);
      self->Admit();
    });
  });
  return id;
}

// One HTTP/2 connection carries about 100 exchanges; beyond that libcurl would open one more for
// each. Streams do not count: there are few, and they stay.
void ApiClient::Impl::Admit() {
  while (!waiting_.empty() && in_flight_ < options_.max_in_flight) {
    const RequestId id = waiting_.front();
    waiting_.pop_front();
    const auto found = calls_.find(id);
    if (found == calls_.end()) {
      continue;  // cancelled
    }
    found->second->counted = !found->second->request.on_data;
    in_flight_ += found->second->counted ? 1 : 0;
    Authenticate(id);
  }
}

void ApiClient::Impl::Authenticate(RequestId id) {
  credentials_->Get([weak = weak_from_this(), id](Result<Credential> credential) {
    const auto self = weak.lock();
    if (self == nullptr || self->calls_.count(id) == 0) {
      return;
    }
    if (!credential) {
      return self->End(id, ApiErrorFrom(credential.error()));
    }
    self->Attempt(id, *credential);
  });
}

// A certificate belongs to the connection: another one needs another client.
void ApiClient::Impl::UseCertificate(const Credential& credential) {
  if (credential.certificate_pem.empty() || credential.certificate_pem == certificate_) {
    return;
  }
  HttpTlsOptions tls = config_.tls;
  tls.client_cert_pem = credential.certificate_pem;
  tls.client_key_pem = credential.key_pem;
  certificate_ = credential.certificate_pem;
  http_ = std::make_shared<HttpClient>(io_, std::move(tls));
}

void ApiClient::Impl::Attempt(RequestId id, const Credential& credential) {
  UseCertificate(credential);
  ApiCall& call = *calls_.at(id);
  const bool reads = call.request.method == "GET" || call.request.method == "HEAD";
  if (!reads && options_.may_write && !options_.may_write()) {
    return End(id, ApiErrorFrom(Error(ErrorCode::kCancelled, "not allowed to write any more")));
  }
  ++call.attempts;
  call.credential = credential;
  call.http = http_;
  call.started = options_.clock->SteadyNow();
  call.http_id =
      http_->Send(MakeHttpRequest(call, config_),
                  [weak = weak_from_this(), strand = strand_, id](Result<HttpResponse> result) {
                    asio::post(strand, [weak, id, answer = std::move(result)]() mutable {
                      if (const auto self = weak.lock()) {
                        self->OnAnswer(id, std::move(answer));
                      }
                    });
                  });
}

void ApiClient::Impl::Observe(const ApiCall& call, const Result<HttpResponse>& result) const {
  if (!options_.observer) {
    return;
  }
  const std::size_t host = config_.server.find("://") + 3;
  options_.observer({result ? std::to_string(result->status) : "<error>", call.request.method,
                     config_.server.substr(host, config_.server.find('/', host) - host),
                     options_.clock->SteadyNow() - call.started,
                     static_cast<bool>(call.request.on_data)});
}

void ApiClient::Impl::OnAnswer(RequestId id, Result<HttpResponse> result) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) {
    return;
  }
  Observe(*found->second, result);
  if (!result) {
    return OnFailure(id, ApiErrorFrom(result.error()));
  }
  if (result->status / 100 != 2) {
    return OnFailure(id, ApiErrorFrom(*result));
  }
  End(id, ApiResponse{result->status, std::move(result->body)});
}

void ApiClient::Impl::OnFailure(RequestId id, ApiError error) {
  ApiCall& call = *calls_.at(id);
  if (error.status == 401 && !std::exchange(call.authenticated_again, true)) {
    credentials_->Reject(call.credential);
    return Authenticate(id);
  }
  const auto delay = RetryDelay(call, error, options_, rng_);
  if (!delay) {
    return End(id, std::move(error));
  }
  call.timer.expires_after(*delay);
  call.timer.async_wait([weak = weak_from_this(), id](boost::system::error_code code) {
    const auto self = weak.lock();
    if (!code && self != nullptr && self->calls_.count(id) > 0) {
      self->Authenticate(id);
    }
  });
}

void ApiClient::Impl::End(RequestId id, ApiResult<ApiResponse> result) {
  const auto found = calls_.find(id);
  const std::unique_ptr<ApiCall> call = std::move(found->second);
  calls_.erase(found);
  in_flight_ -= call->counted ? 1 : 0;
  gate_->Run([&] { call->handler(std::move(result)); });
  asio::post(strand_, [self = shared_from_this()] { self->Admit(); });
}

void ApiClient::Impl::Cancel(RequestId id) {
  asio::post(strand_, [self = shared_from_this(), id] {
    const auto found = self->calls_.find(id);
    if (found == self->calls_.end()) {
      return;
    }
    if (found->second->http != nullptr) {
      found->second->http->Cancel(found->second->http_id);
    }
    self->End(id, ApiErrorFrom(Error(ErrorCode::kCancelled, "cancelled")));
  });
}

void ApiClient::Impl::Clear() {
  calls_.clear();
  http_.reset();
}

void ApiClient::Impl::Stop() {
  gate_->Close();
  credentials_->Stop();
  asio::post(strand_, [self = shared_from_this()] { self->Clear(); });
}

ApiClient::ApiClient(asio::io_context& io, ClientConfig config, ApiClientOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(config), std::move(options))) {}

ApiClient::~ApiClient() { impl_->Stop(); }

ApiClient::RequestId ApiClient::Send(ApiRequest request, Handler handler) {
  return impl_->Send(std::move(request), std::move(handler));
}

void ApiClient::Cancel(RequestId id) { impl_->Cancel(id); }

const std::string& ApiClient::default_namespace() const { return impl_->config().namespace_name; }

ApiResult<ApiResponse> ApiClient::SendAndWait(ApiRequest request) {
  auto answer = AwaitAnswer<ApiResult<ApiResponse>>(
      [&](Handler handler) { Send(std::move(request), std::move(handler)); });
  if (answer) return std::move(*answer);
  return ApiErrorFrom(Error(ErrorCode::kCancelled, "the API client stopped before the answer"));
}

}  // namespace leadline

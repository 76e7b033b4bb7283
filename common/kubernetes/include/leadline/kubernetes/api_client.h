// Authenticated requests to the API server.
// https://kubernetes.io/docs/reference/using-api/api-concepts/
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/kubernetes/api_error.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {

struct ApiRequest {
  std::string method = "GET";
  std::string path;  // "/api/v1/...", escaped already: see ApiPath()
  std::vector<std::pair<std::string, std::string>> query;
  std::string body;
  std::string content_type = "application/json";
  // Doing it twice is as good as once, so that it may be sent again after 5xx and lost
  // connections; GET and HEAD always are.
  bool idempotent = false;
  int max_attempts = 5;
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};  // of one attempt; zero: none
  // As in HttpRequest. With `on_data` nothing is sent again but after a 401.
  std::chrono::milliseconds idle_timeout{0};
  std::function<Result<void>(std::string_view)> on_data;
};

struct ApiResponse {
  int status = 0;
  std::string body;
};

// One exchange on the wire, for rest_client_requests_total and
// rest_client_request_duration_seconds.
struct ApiExchange {
  std::string code;  // HTTP status, or "<error>"
  std::string method;
  std::string host;  // "host:port"
  std::chrono::nanoseconds duration{0};
  bool stream = false;  // the duration is that of a watch
};

struct ApiClientOptions {
  const Clock* clock = &Clock::Real();
  std::function<void(const ApiExchange&)> observer;  // on the io_context; must not block
  std::chrono::milliseconds first_backoff{200};      // doubled each attempt, with jitter
  int max_in_flight = 64;  // further requests wait for their turn; streams do not count
  std::chrono::seconds max_retry_after{30};  // told to wait for longer: give up
  // Asked just before each attempt that is no GET or HEAD; false ends the request with kCancelled.
  // On the io_context; must not block. Empty: always.
  std::function<bool()> may_write;
};

enum class PatchType { kMerge, kStrategicMerge, kJson };

// Thread-safe. Handlers run on the io_context, exactly once, and not after the destructor has
// returned; it may be called from a handler. Run the io_context on one thread where callbacks
// must not overlap.
//
// Sent again: everything after 429 (the server did not begin it) honouring Retry-After, after 401
// once with fresh credentials; idempotent requests also after 5xx and lost connections.
class ApiClient {
 public:
  using RequestId = std::uint64_t;
  using Handler = std::function<void(ApiResult<ApiResponse>)>;

  ApiClient(boost::asio::io_context& io, ClientConfig config, ApiClientOptions options = {});
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  RequestId Send(ApiRequest request, Handler handler);
  // The handler is called with kCancelled unless the request has ended already.
  void Cancel(RequestId id);

  RequestId Get(std::string path, Handler handler);
  RequestId Create(std::string path, std::string body, Handler handler);
  RequestId Patch(std::string path, PatchType type, std::string body, Handler handler);
  // With `uid`, only that incarnation is deleted (kConflict otherwise).
  RequestId Delete(std::string path, std::string_view uid, Handler handler);

  // Binds the Pod with that uid to the node by the Binding subresource; one attempt on the wire
  // but for 429 and 401. When `OutcomeUnknown()`, read the Pod: it may be bound.
  RequestId Bind(std::string_view namespace_name, std::string_view name, std::string_view uid,
                 std::string_view node, Handler handler);

  // Blocks until the answer is there. Never call it on the io_context's own thread.
  ApiResult<ApiResponse> SendAndWait(ApiRequest request);

  const std::string& default_namespace() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

// "/api/v1/namespaces/NS/pods/NAME/SUB" and the like, each part escaped. `prefix` is "/api/v1" or
// "/apis/GROUP/VERSION"; an empty namespace, name or subresource is left out.
std::string ApiPath(std::string_view prefix, std::string_view namespace_name,
                    std::string_view resource, std::string_view name = {},
                    std::string_view subresource = {});

}  // namespace leadline

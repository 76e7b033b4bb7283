#include "api_call.h"

#include <algorithm>

#include "api_path.h"

namespace leadline {
namespace {

bool MaySendAgain(const ApiCall& call, const ApiError& error) {
  if (call.request.on_data || call.attempts >= call.request.max_attempts) {
    return false;
  }
  if (error.status == 429) {
    return true;
  }
  const std::string& method = call.request.method;
  if (!call.request.idempotent && method != "GET" && method != "HEAD") {
    return false;
  }
  if (error.status == 0) {
    return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDataLoss;
  }
  return error.status >= 500 && error.status != 501 && error.status != 505;
}

}  // namespace

std::optional<std::chrono::milliseconds> RetryDelay(const ApiCall& call, const ApiError& error,
                                                    const ApiClientOptions& options, Rng& rng) {
  if (!MaySendAgain(call, error) || error.retry_after > options.max_retry_after) {
    return std::nullopt;
  }
  const double scale = static_cast<double>(1 << std::min(call.attempts - 1, 10));
  const auto backoff = std::chrono::milliseconds(static_cast<std::int64_t>(
      static_cast<double>(options.first_backoff.count()) * scale * (0.5 + rng.Uniform())));
  return std::max<std::chrono::milliseconds>(backoff, error.retry_after);
}

HttpRequest MakeHttpRequest(const ApiCall& call, const ClientConfig& config) {
  HttpRequest http;
  http.method = call.request.method;
  http.url = config.server + call.request.path + QueryText(call.request.query);
  http.headers.emplace_back("Accept", "application/json");
  if (!call.request.body.empty()) {
    http.headers.emplace_back("Content-Type", call.request.content_type);
  }
  if (!call.credential.token.empty()) {
    http.headers.emplace_back("Authorization", "Bearer " + call.credential.token);
  }
  http.body = call.request.body;
  http.timeout = call.request.timeout;
  http.idle_timeout = call.request.idle_timeout;
  http.on_data = call.request.on_data;
  return http;
}

}  // namespace leadline

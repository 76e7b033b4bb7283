// One request of the API client through all its attempts.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <memory>
#include <optional>

#include "exec_credential.h"
#include "leadline/base/rng.h"
#include "leadline/http/client.h"
#include "leadline/kubernetes/api_client.h"

namespace leadline {

struct ApiCall {
  using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;

  ApiCall(const Strand& strand, ApiRequest asked, ApiClient::Handler on_end)
      : request(std::move(asked)), handler(std::move(on_end)), timer(strand) {}

  ApiRequest request;
  ApiClient::Handler handler;
  boost::asio::steady_timer timer;
  int attempts = 0;
  bool counted = false;  // among those in flight
  bool authenticated_again = false;
  Credential credential;             // of the attempt under way
  std::shared_ptr<HttpClient> http;  // the same; keeps it alive
  HttpClient::RequestId http_id = 0;
  SteadyTime started{};
};

// How long to wait before the next attempt; nothing when there shall be none.
std::optional<std::chrono::milliseconds> RetryDelay(const ApiCall& call, const ApiError& error,
                                                    const ApiClientOptions& options, Rng& rng);

// The attempt as it goes on the wire.
HttpRequest MakeHttpRequest(const ApiCall& call, const ClientConfig& config);

}  // namespace leadline

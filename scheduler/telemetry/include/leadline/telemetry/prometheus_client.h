// Instant queries to anything with Prometheus's HTTP API.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "leadline/http/client.h"
#include "leadline/telemetry/query_answer.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

// As in Prometheus's own http_config where the name is the same.
struct PrometheusConfig {
  std::string url;  // http or https, a path prefix is kept, with or without the final slash
  std::string username;
  std::string password;
  std::string password_file;     // read again before each query; used instead of `password`
  std::string credentials;       // bearer token
  std::string credentials_file;  // read again before each query; used instead of `credentials`
  std::string ca_file;           // PEM
  std::string cert_file;         // PEM, with key_file: client certificate
  std::string key_file;
  std::string server_name;
  bool insecure_skip_verify = false;
  HttpHeaders headers;     // X-Scope-OrgID for Mimir
  HttpHeaders parameters;  // added to each query: partial_response=false for Thanos
  bool use_get = false;    // POST carries queries of any length; some proxies only let GET through
  std::chrono::milliseconds timeout{2000};  // the whole exchange; also told to the server
};

// kInvalidArgument when `url` is not one: a bare host:port, another scheme, a user name, a query.
// The message says what to write instead.
Result<void> CheckPrometheusUrl(const std::string& url);

// Thread-safe. Never blocks on the network. Redirects are not followed, so that a token never
// travels to another host.
class PrometheusClient {
 public:
  using Handler = std::function<void(Result<QueryAnswer>)>;

  // `io` must outlive it. Files that cannot be read are told by the queries, each time anew: a
  // secret may be mounted later. A token file that stops being readable keeps its last content.
  PrometheusClient(boost::asio::io_context& io, PrometheusConfig config);
  ~PrometheusClient();  // cancels what is under way without calling the handlers
  PrometheusClient(const PrometheusClient&) = delete;
  PrometheusClient& operator=(const PrometheusClient&) = delete;

  // `handler` is called exactly once, on the io_context, no later than the time-out.
  // Errors: those of HttpClient and of ReadQueryResponse().
  void InstantQuery(const std::string& promql, Handler handler);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace leadline

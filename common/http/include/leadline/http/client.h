// One asynchronous HTTP client for the whole process: libcurl's multi interface driven by an
// Asio io_context (https://curl.se/libcurl/c/libcurl-multi.html). HTTP/1.1 and HTTP/2, TLS with
// private CAs and client certificates, streaming bodies for watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpTlsOptions {
  std::string ca_file;          // PEM; empty: the system's store
  std::string ca_pem;           // PEM text; used instead of ca_file when not empty
  std::string client_cert_pem;  // PEM text; with client_key_pem
  std::string client_key_pem;
  std::string server_name;            // name to verify and to send as SNI; empty: the URL's host
  bool insecure_skip_verify = false;  // only where the user said so
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // absolute, http or https
  HttpHeaders headers;
  std::string body;
  // The whole exchange; zero: no limit (watches).
  std::chrono::milliseconds timeout{std::chrono::seconds(30)};
  // Give up with kTimeout when no byte arrives for this long; zero: off.
  std::chrono::milliseconds idle_timeout{0};
  // A larger body, unpacked, is an error (kResourceExhausted); streams have no limit.
  std::size_t max_body_bytes = std::size_t{512} << 20;
  // When set, a 2xx body is handed over piece by piece and `HttpResponse::body` stays empty;
  // other bodies are collected as usual. Returning an Error ends the exchange with it.
  std::function<Result<void>(std::string_view)> on_data;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string body;

  // The first header of that (lower case) name, or empty.
  std::string_view Header(std::string_view name) const;
};

// Thread-safe. Redirects are not followed (a token must never travel to another host). Answers may
// come gzipped, but for streams. Proxies only as https_proxy, http_proxy, all_proxy and no_proxy in
// the environment say. A POST is never sent twice, not even when a kept connection dies under it.
// Messages name scheme, host and port, never path, query, headers or body.
// The io_context must run for anything to happen and must outlive the client.
class HttpClient {
 public:
  using RequestId = std::uint64_t;
  // Called exactly once on the io_context. Any HTTP status is a response; an Error means that
  // there is none: kUnavailable (connect, DNS, reset), kTimeout, kPermissionDenied (TLS
  // verification), kDataLoss (cut short), kCancelled.
  using Handler = std::function<void(Result<HttpResponse>)>;

  HttpClient(boost::asio::io_context& io, HttpTlsOptions tls);
  // Cancels what is under way without calling the handlers. Waits for one that is running on
  // another thread; may be called from inside one.
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  RequestId Send(HttpRequest request, Handler handler);
  // The handler is called with kCancelled unless the exchange has ended already.
  void Cancel(RequestId id);

  // Blocks until the answer is there. Never call it on the io_context's own thread.
  Result<HttpResponse> SendAndWait(HttpRequest request);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace leadline

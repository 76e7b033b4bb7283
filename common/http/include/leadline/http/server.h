// One small HTTP/1.1 server (Boost.Beast) for metrics, health, API, page and extender.
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
#include "leadline/http/client.h"

namespace boost::asio {
class io_context;
}

namespace leadline {

struct ServerRequest {
  std::string method;                                      // upper case
  std::string path;                                        // percent-decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in order
  HttpHeaders headers;                                     // names in lower case
  std::string body;
  // Common name of the client's certificate, which the server's client CA has signed; else empty.
  std::string client;

  std::string_view Header(std::string_view name) const;
};

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  HttpHeaders headers;  // beyond Content-Type and Content-Length
};

// HTTPS. The files are PEM; the pair is read again when it changes, so that it can be rotated.
struct ServerTlsOptions {
  std::string cert_file;  // with the chain; empty: plain HTTP
  std::string key_file;
  // Who signs clients' certificates; empty: clients need none. A client without one is served
  // and has no name; one with a wrong one is not served.
  std::string client_ca_file;
};

struct HttpServerOptions {
  std::string host = "127.0.0.1";                      // an address literal, IPv4 or IPv6
  std::uint16_t port = 0;                              // 0: any free one
  std::size_t max_body_bytes = std::size_t{64} << 20;  // 413 beyond
  std::size_t max_connections = 512;                   // further ones are closed at once
  std::chrono::seconds idle_timeout{60};
  ServerTlsOptions tls;
};

// Register routes, then Listen(). Handlers run on the io_context. HEAD is answered from GET
// routes; an unknown path is 404, a known path with another method 405.
class HttpServer {
 public:
  // Call it once, from any thread; dropping it without a call answers 500.
  using Responder = std::function<void(ServerResponse)>;
  using Handler = std::function<void(const ServerRequest&, Responder)>;

  HttpServer(boost::asio::io_context& io, HttpServerOptions options);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Not after Listen(). `path` is exact, or ends in "/*" for a prefix (the longest match wins).
  void Handle(std::string method, std::string path, Handler handler);

  // kUnavailable with the address when it cannot be bound; kInvalidArgument with the file when a
  // certificate cannot be used.
  Result<void> Listen();
  std::uint16_t port() const;  // the bound port
  // Closes the listener and all connections; thread-safe.
  void Stop();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

// "HOST:PORT", "[V6]:PORT" or ":PORT" (all addresses) as the --http-address flags take it.
Result<HttpServerOptions> ParseHttpAddress(std::string_view address);

}  // namespace leadline

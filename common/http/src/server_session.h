// One connection of the HTTP server: reads a request, asks its handler, writes the answer, again.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "leadline/http/server.h"
#include "router.h"

namespace boost::asio::ssl {
class context;
}

namespace leadline {

// What sessions share with their server. Read-only once listening, but for `stopped`.
struct ServerShared {
  HttpServerOptions options;
  Router router;
  std::atomic<bool> stopped = false;
};

class ServerSession {
 public:
  virtual ~ServerSession() = default;
  virtual void Start() = 0;
  // Thread-safe.
  virtual void Close() = 0;
};

// `tls` null: plain HTTP. `on_end` is called once, on the socket's strand.
using OnSessionEnd = std::function<void(ServerSession*)>;
std::shared_ptr<ServerSession> MakeSession(boost::asio::ip::tcp::socket socket,
                                           boost::asio::ssl::context* tls,
                                           std::shared_ptr<const ServerShared> shared,
                                           OnSessionEnd on_end);

}  // namespace leadline

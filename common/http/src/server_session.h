// One connection of the HTTP server: reads a request, asks its handler, writes the answer, again.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <variant>

#include "leadline/http/server.h"
#include "router.h"

namespace leadline {

// What sessions share with their server. Read-only once listening, but for `stopped`.
struct ServerShared {
  HttpServerOptions options;
  Router router;
  std::atomic<bool> stopped = false;
};

// All members are touched on the socket's strand only.
class ServerSession : public std::enable_shared_from_this<ServerSession> {
 public:
  // `on_end` is called once, on the strand.
  using OnEnd = std::function<void(ServerSession*)>;
  ServerSession(boost::asio::ip::tcp::socket socket, std::shared_ptr<const ServerShared> shared,
                OnEnd on_end);

  void Start();
  // Thread-safe.
  void Close();

 private:
  using StringResponse = boost::beast::http::response<boost::beast::http::string_body>;
  using EmptyResponse = boost::beast::http::response<boost::beast::http::empty_body>;

  void ReadHeader();
  void OnHeader(boost::system::error_code code);
  void SendContinue();
  void ReadBody();
  void OnBody(boost::system::error_code code);
  bool RefuseBroken(boost::system::error_code code);
  void Dispatch();
  HttpServer::Responder MakeResponder();
  void Answer(ServerResponse response);
  template <typename Response>
  void Write(Response response, const ServerResponse& from);
  void OnWritten(boost::system::error_code code);
  void Linger();
  void Drain();
  void End();

  boost::beast::tcp_stream stream_;
  const std::shared_ptr<const ServerShared> shared_;
  OnEnd on_end_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::variant<std::monostate, StringResponse, EmptyResponse> response_;
  bool head_ = false;
  bool keep_alive_ = false;
};

}  // namespace leadline

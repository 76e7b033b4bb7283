#include "leadline/http/server.h"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <mutex>
#include <unordered_map>

#include "server_session.h"
#include "server_tls.h"

namespace leadline {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

class HttpServer::Impl : public std::enable_shared_from_this<HttpServer::Impl> {
 public:
  Impl(asio::io_context& io, HttpServerOptions options)
      : shared_(std::make_shared<ServerShared>()),
        tls_(options.tls),
        strand_(asio::make_strand(io)),
        acceptor_(strand_),
        retry_(strand_),
        io_(io) {
    shared_->options = std::move(options);
  }

  Router& router() { return shared_->router; }
  std::uint16_t port() const { return port_; }

  Result<void> Listen();
  void Stop();

 private:
  boost::system::error_code Bind(const asio::ip::address& address);
  void Accept();
  void OnAccept(boost::system::error_code code, tcp::socket socket);
  void Adopt(tcp::socket socket);

  const std::shared_ptr<ServerShared> shared_;
  ServerTls tls_;
  asio::strand<asio::io_context::executor_type> strand_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  asio::io_context& io_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::unordered_map<ServerSession*, std::shared_ptr<ServerSession>> sessions_;  // by mutex_
};

boost::system::error_code HttpServer::Impl::Bind(const asio::ip::address& address) {
  const tcp::endpoint endpoint(address, shared_->options.port);
  boost::system::error_code code;
  acceptor_.open(endpoint.protocol(), code);
  if (!code) acceptor_.set_option(asio::socket_base::reuse_address(true), code);
  if (!code && address.is_v6()) acceptor_.set_option(asio::ip::v6_only(false), code);
  if (!code) acceptor_.bind(endpoint, code);
  if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
  if (!code) port_ = acceptor_.local_endpoint(code).port();
  if (code) {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  }
  return code;
}

Result<void> HttpServer::Impl::Listen() {
  const std::string& host = shared_->options.host;
  boost::system::error_code code;
  const auto address = asio::ip::make_address(host, code);
  if (code) {
    return Error(ErrorCode::kInvalidArgument, "listening on \"" + host + "\": not an IP address");
  }
  if (tls_.enabled()) {
    if (auto ok = tls_.Load(); !ok) return ok.error().WithContext("HTTPS");
  }
  code = Bind(address);
  if (code && address.is_v6() && address.is_unspecified()) {
    code = Bind(asio::ip::address_v4::any());  // machines with IPv6 switched off
  }
  if (code) {
    return Error(ErrorCode::kUnavailable, "listening on " + host + " port " +
                                              std::to_string(shared_->options.port) + ": " +
                                              code.message());
  }
  asio::post(strand_, [self = shared_from_this()] { self->Accept(); });
  return {};
}

void HttpServer::Impl::Accept() {
  if (shared_->stopped) {
    return;
  }
  acceptor_.async_accept(
      asio::make_strand(io_),
      asio::bind_executor(
          strand_, [self = shared_from_this()](boost::system::error_code code, tcp::socket socket) {
            self->OnAccept(code, std::move(socket));
          }));
}

void HttpServer::Impl::OnAccept(boost::system::error_code code, tcp::socket socket) {
  if (shared_->stopped) {
    return;
  }
  if (!code) {
    Adopt(std::move(socket));
    return Accept();
  }
  // Out of descriptors, most likely: accepting again at once would spin.
  retry_.expires_after(std::chrono::milliseconds(100));
  retry_.async_wait([self = shared_from_this()](boost::system::error_code) { self->Accept(); });
}

void HttpServer::Impl::Adopt(tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  auto session = MakeSession(std::move(socket), tls_.enabled() ? &tls_.Current() : nullptr, shared_,
                             [weak = weak_from_this()](ServerSession* ended) {
                               if (const auto self = weak.lock()) {
                                 const std::lock_guard lock(self->mutex_);
                                 self->sessions_.erase(ended);
                               }
                             });
  {
    const std::lock_guard lock(mutex_);
    if (shared_->stopped || sessions_.size() >= shared_->options.max_connections) {
      return;  // closes the socket
    }
    sessions_.emplace(session.get(), session);
  }
  session->Start();
}

void HttpServer::Impl::Stop() {
  std::unordered_map<ServerSession*, std::shared_ptr<ServerSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    if (shared_->stopped.exchange(true)) {
      return;
    }
    sessions.swap(sessions_);
  }
  for (const auto& [key, session] : sessions) {
    session->Close();
  }
  asio::post(strand_, [self = shared_from_this()] {
    boost::system::error_code ignored;
    self->acceptor_.close(ignored);
    self->retry_.cancel();
  });
}

HttpServer::HttpServer(asio::io_context& io, HttpServerOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(options))) {}

HttpServer::~HttpServer() { Stop(); }

void HttpServer::Handle(std::string method, std::string path, Handler handler) {
  impl_->router().Add(std::move(method), std::move(path), std::move(handler));
}

Result<void> HttpServer::Listen() { return impl_->Listen(); }

std::uint16_t HttpServer::port() const { return impl_->port(); }

void HttpServer::Stop() { impl_->Stop(); }

}  // namespace leadline

// A server that does exactly what a test's script says on each connection, right or wrong.
#pragma once

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace leadline {

class RawServer {
 public:
  class Peer {
   public:
    explicit Peer(boost::asio::ip::tcp::socket& socket) : socket_(socket) {}
    // Header and, with Content-Length, body; empty once the client has gone.
    std::string ReadRequest() {
      boost::system::error_code code;
      const std::size_t end =
          boost::asio::read_until(socket_, boost::asio::dynamic_buffer(pending_), "\r\n\r\n", code);
      if (code) return {};
      const std::size_t at = pending_.find("Content-Length: ");
      const std::size_t want = end + (at < end ? std::stoul(pending_.substr(at + 16)) : 0);
      while (pending_.size() < want && !code) {
        char piece[4096];
        pending_.append(piece, socket_.read_some(boost::asio::buffer(piece), code));
      }
      std::string out = pending_.substr(0, want);
      pending_.erase(0, want);
      return out;
    }
    bool Write(std::string_view bytes) {
      boost::system::error_code code;
      boost::asio::write(socket_, boost::asio::buffer(bytes), code);
      return !code;
    }
    // "200 OK" with a Content-Length.
    bool Answer(std::string_view body, std::string_view status = "200 OK",
                std::string_view headers = "") {
      return Write("HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\n" +
                   std::string(headers) + "Content-Length: " + std::to_string(body.size()) +
                   "\r\n\r\n" + std::string(body));
    }
    bool Chunk(std::string_view bytes) {
      char size[32];
      std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
      return Write(size + std::string(bytes) + "\r\n");
    }
    // Closing then sends RST instead of FIN.
    void ResetOnClose() { socket_.set_option(boost::asio::socket_base::linger(true, 0)); }
    // Until the client closes (or the server is destroyed).
    void WaitForClose() {
      while (!ReadRequest().empty()) {
      }
    }

   private:
    boost::asio::ip::tcp::socket& socket_;
    std::string pending_;
  };
  // Runs on a thread per connection; returning closes it. `index` counts connections from 0.
  using Script = std::function<void(Peer&, int index)>;

  explicit RawServer(Script script)
      : script_(std::move(script)),
        acceptor_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
        thread_([this] { Accept(); }) {}

  ~RawServer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (auto& connection : connections_) Shut(connection.socket.native_handle());
    }
    Shut(acceptor_.native_handle());
    thread_.join();
    for (auto& connection : connections_) connection.thread.join();
  }

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  int connections() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  struct Connection {
    boost::asio::ip::tcp::socket socket;
    std::thread thread;
  };

  static void Shut(int descriptor) { ::shutdown(descriptor, SHUT_RDWR); }

  void Accept() {
    for (;;) {
      boost::system::error_code code;
      boost::asio::ip::tcp::socket socket(io_);
      acceptor_.accept(socket, code);
      const std::lock_guard lock(mutex_);
      if (stopping_ || code) return;
      Connection& connection =
          connections_.emplace_back(Connection{std::move(socket), std::thread()});
      connection.thread = std::thread([this, &connection, index = count_++] {
        Peer peer(connection.socket);
        script_(peer, index);
        boost::system::error_code ignored;
        const std::lock_guard closing(mutex_);
        connection.socket.close(ignored);
      });
    }
  }

  const Script script_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  const std::uint16_t port_ = acceptor_.local_endpoint().port();
  mutable std::mutex mutex_;
  std::list<Connection> connections_;
  int count_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace leadline

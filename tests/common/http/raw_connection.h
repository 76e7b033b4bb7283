// Bytes in, bytes out: a client that can be as rude as a test wants.
#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>

namespace leadline {

class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port) : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
  }

  // False when the other side has closed.
  bool Write(std::string_view bytes) {
    boost::system::error_code code;
    boost::asio::write(socket_, boost::asio::buffer(bytes), code);
    return !code;
  }

  // Everything up to the end of the stream.
  std::string ReadAll() {
    std::string out;
    boost::system::error_code code;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(out), code);
    return out;
  }

  // One response with Content-Length (or none, for HEAD and the like).
  std::string ReadResponse(bool with_body = true) {
    boost::system::error_code code;
    const std::size_t end =
        boost::asio::read_until(socket_, boost::asio::dynamic_buffer(pending_), "\r\n\r\n", code);
    if (code) return std::exchange(pending_, {});
    std::size_t want = end;
    const std::size_t at = pending_.find("Content-Length: ");
    if (with_body && at < end) want += std::stoul(pending_.substr(at + 16));
    if (pending_.size() < want) {
      boost::asio::read(socket_, boost::asio::dynamic_buffer(pending_),
                        boost::asio::transfer_exactly(want - pending_.size()), code);
    }
    std::string out = pending_.substr(0, want);
    pending_.erase(0, want);
    return out;
  }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string pending_;
};

}  // namespace leadline

// Answers each TLS connection once, telling whom it took the client for and what name it asked for.
#pragma once

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>

#include "common/http/certificates.h"

namespace leadline {

class TlsServer {
 public:
  // Clients must show a certificate of `client_authority` when it is not empty.
  TlsServer(const PemPair& own, const std::string& client_authority)
      : context_(boost::asio::ssl::context::tls_server),
        acceptor_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
        port_(acceptor_.local_endpoint().port()) {
    context_.use_certificate(boost::asio::buffer(own.certificate), boost::asio::ssl::context::pem);
    context_.use_private_key(boost::asio::buffer(own.key), boost::asio::ssl::context::pem);
    if (!client_authority.empty()) {
      context_.add_certificate_authority(boost::asio::buffer(client_authority));
      context_.set_verify_mode(boost::asio::ssl::verify_peer |
                               boost::asio::ssl::verify_fail_if_no_peer_cert);
    }
    thread_ = std::thread([this] { Serve(); });
  }
  ~TlsServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  void Serve() {
    for (;;) {
      boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(io_, context_);
      boost::system::error_code code;
      acceptor_.accept(stream.next_layer(), code);
      if (code) return;
      stream.handshake(boost::asio::ssl::stream_base::server, code);
      std::string request;
      if (!code) {
        boost::asio::read_until(stream, boost::asio::dynamic_buffer(request), "\r\n\r\n", code);
      }
      if (code) continue;
      const std::size_t host = request.find("Host: ");
      const std::string body = "client=" + ClientName(stream.native_handle()) +
                               " sni=" + ServerName(stream.native_handle()) + " host=" +
                               request.substr(host + 6, request.find('\r', host) - host - 6);
      boost::asio::write(stream,
                         boost::asio::buffer("HTTP/1.1 200 OK\r\nConnection: close\r\n"
                                             "Content-Length: " +
                                             std::to_string(body.size()) + "\r\n\r\n" + body),
                         code);
      stream.shutdown(code);
    }
  }
  static std::string ServerName(SSL* ssl) {
    const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? "" : name;
  }
  static std::string ClientName(SSL* ssl) {
    X509* const certificate = SSL_get0_peer_certificate(ssl);
    if (certificate == nullptr) return "";
    char name[100] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    return name;
  }

  boost::asio::io_context io_;
  boost::asio::ssl::context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  const std::uint16_t port_;
  std::thread thread_;
};

}  // namespace leadline

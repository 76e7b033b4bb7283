// The server's certificate, for one connection after the other.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "leadline/base/result.h"
#include "leadline/http/server.h"

namespace leadline {

// Not thread-safe: belongs to the acceptor's strand.
class ServerTls {
 public:
  explicit ServerTls(ServerTlsOptions options) : options_(std::move(options)) {}

  bool enabled() const { return !options_.cert_file.empty(); }
  // kInvalidArgument naming the file.
  Result<void> Load();
  // With the pair as it is on disk now; one that cannot be used is told in the log, and the one
  // before it goes on being used.
  boost::asio::ssl::context& Current();

 private:
  using Times = std::pair<std::filesystem::file_time_type, std::filesystem::file_time_type>;
  Times TimesOnDisk() const;

  const ServerTlsOptions options_;
  std::unique_ptr<boost::asio::ssl::context> context_;
  Times loaded_{};
};

// Common name of the certificate that the client proved to have, or empty.
std::string VerifiedClient(SSL* connection);

}  // namespace leadline

#include "server_tls.h"

#include <array>

#include <openssl/x509.h>
#include <spdlog/spdlog.h>

namespace leadline {
namespace {

namespace ssl = boost::asio::ssl;

Error Unusable(const std::string& file, const boost::system::error_code& code) {
  return Error(ErrorCode::kInvalidArgument, file + ": " + code.message());
}

Result<std::unique_ptr<ssl::context>> Make(const ServerTlsOptions& options) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  boost::system::error_code code;
  context->use_certificate_chain_file(options.cert_file, code);
  if (code) return Unusable(options.cert_file, code);
  context->use_private_key_file(options.key_file, ssl::context::pem, code);
  if (code) return Unusable(options.key_file, code);
  if (options.client_ca_file.empty()) return context;
  context->load_verify_file(options.client_ca_file, code);
  if (code) return Unusable(options.client_ca_file, code);
  context->set_verify_mode(ssl::verify_peer);
  // Sessions are resumed within one context only when it has a name, once clients are verified.
  constexpr std::array<unsigned char, 8> kName = {'l', 'e', 'a', 'd', 'l', 'i', 'n', 'e'};
  SSL_CTX_set_session_id_context(context->native_handle(), kName.data(), kName.size());
  return context;
}

}  // namespace

ServerTls::Times ServerTls::TimesOnDisk() const {
  std::error_code ignored;
  return {std::filesystem::last_write_time(options_.cert_file, ignored),
          std::filesystem::last_write_time(options_.key_file, ignored)};
}

Result<void> ServerTls::Load() {
  const Times times = TimesOnDisk();
  auto made = Make(options_);
  if (!made) return made.error();
  context_ = std::move(*made);
  loaded_ = times;
  return {};
}

ssl::context& ServerTls::Current() {
  const Times now = TimesOnDisk();
  if (now == loaded_) return *context_;
  if (auto ok = Load(); !ok) {
    spdlog::warn("HTTPS goes on with the certificate it has: {}", ok.error().message());
    loaded_ = now;  // said once
  }
  return *context_;
}

std::string VerifiedClient(SSL* connection) {
  X509* const certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return {};
  std::array<char, 256> name{};
  const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                               name.data(), static_cast<int>(name.size()));
  return length > 0 ? std::string(name.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace leadline

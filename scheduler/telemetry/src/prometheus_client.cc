#include "leadline/telemetry/prometheus_client.h"

#include <openssl/evp.h>

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <mutex>
#include <optional>

#include "secret_file.h"

namespace leadline {
namespace {

std::string PercentEncode(std::string_view text) {
  return boost::urls::encode(boost::urls::string_view(text.data(), text.size()),
                             boost::urls::unreserved_chars);
}

std::string Base64(const std::string& text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::string QueryUrl(std::string base) {
  while (base.ends_with('/')) base.pop_back();
  return base + "/api/v1/query";
}

std::optional<SecretFile>& SetFile(std::optional<SecretFile>& secret, const std::string& file) {
  if (!file.empty()) secret.emplace(file);
  return secret;
}

}  // namespace

class PrometheusClient::Impl {
 public:
  Impl(boost::asio::io_context& io, PrometheusConfig config)
      : io_(io), config_(std::move(config)), url_(QueryUrl(config_.url)) {
    SetFile(password_, config_.password_file);
    SetFile(credentials_, config_.credentials_file);
  }

  void InstantQuery(const std::string& promql, Handler handler) {
    auto request = MakeRequest(promql);
    auto client = request ? Client() : Result<HttpClient*>(request.error());
    if (!client) {
      boost::asio::post(io_,
                        [error = client.error(), handler = std::move(handler)] { handler(error); });
      return;
    }
    (*client)->Send(std::move(*request),
                    [url = url_, handler = std::move(handler)](Result<HttpResponse> response) {
                      if (!response) return handler(response.error());
                      auto answer = ReadQueryResponse(*response);
                      if (!answer) return handler(answer.error().WithContext(url));
                      handler(std::move(answer));
                    });
  }

 private:
  Result<HttpRequest> MakeRequest(const std::string& promql) {
    HttpRequest request;
    request.timeout = config_.timeout;
    request.max_body_bytes = std::size_t{64} << 20;
    request.headers = config_.headers;
    request.headers.emplace_back("Accept", "application/json");
    auto authorization = Authorization();
    if (!authorization) return authorization.error();
    if (!authorization->empty()) request.headers.emplace_back("Authorization", *authorization);
    std::string form =
        "query=" + PercentEncode(promql) + fmt::format("&timeout={}ms", config_.timeout.count());
    for (const auto& [key, value] : config_.parameters) {
      form += "&" + PercentEncode(key) + "=" + PercentEncode(value);
    }
    if (config_.use_get) {
      request.url = url_ + "?" + form;
      return request;
    }
    request.method = "POST";
    request.url = url_;
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = std::move(form);
    return request;
  }

  // The header's value; empty: none.
  Result<std::string> Authorization() {
    if (!config_.username.empty()) {
      auto password = password_ ? password_->Get() : Result<std::string>(config_.password);
      if (!password) return password.error().WithContext("password_file");
      return "Basic " + Base64(config_.username + ":" + *password);
    }
    auto token = credentials_ ? credentials_->Get() : Result<std::string>(config_.credentials);
    if (!token) return token.error().WithContext("credentials_file");
    return token->empty() ? *token : "Bearer " + *token;
  }

  // Made at the first query for which all files are there.
  Result<HttpClient*> Client() {
    std::lock_guard lock(mutex_);
    if (client_) return client_.get();
    HttpTlsOptions tls;
    tls.ca_file = config_.ca_file;
    tls.server_name = config_.server_name;
    tls.insecure_skip_verify = config_.insecure_skip_verify;
    if (!config_.cert_file.empty()) {
      auto cert = ReadSmallFile(config_.cert_file);
      if (!cert) return cert.error().WithContext("cert_file");
      auto key = ReadSmallFile(config_.key_file);
      if (!key) return key.error().WithContext("key_file");
      tls.client_cert_pem = std::move(*cert);
      tls.client_key_pem = std::move(*key);
    }
    client_ = std::make_unique<HttpClient>(io_, std::move(tls));
    return client_.get();
  }

  boost::asio::io_context& io_;
  const PrometheusConfig config_;
  const std::string url_;
  std::optional<SecretFile> password_;
  std::optional<SecretFile> credentials_;
  std::mutex mutex_;
  std::unique_ptr<HttpClient> client_;
};

PrometheusClient::PrometheusClient(boost::asio::io_context& io, PrometheusConfig config)
    : impl_(std::make_unique<Impl>(io, std::move(config))) {}

PrometheusClient::~PrometheusClient() = default;

void PrometheusClient::InstantQuery(const std::string& promql, Handler handler) {
  impl_->InstantQuery(promql, std::move(handler));
}

}  // namespace leadline

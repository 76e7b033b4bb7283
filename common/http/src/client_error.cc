#include "client_error.h"

#include <string>

namespace leadline {
namespace {

ErrorCode Classify(CURLcode code, ExchangeStage stage) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      // Nothing was sent yet: the outcome is known.
      return stage == ExchangeStage::kConnecting ? ErrorCode::kUnavailable : ErrorCode::kTimeout;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
      return ErrorCode::kPermissionDenied;
    case CURLE_URL_MALFORMAT:
      return ErrorCode::kInvalidArgument;
    case CURLE_PARTIAL_FILE:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
      return ErrorCode::kDataLoss;
    case CURLE_UNSUPPORTED_PROTOCOL:  // what came back is not HTTP
      return stage == ExchangeStage::kConnecting ? ErrorCode::kInvalidArgument
                                                 : ErrorCode::kDataLoss;
    case CURLE_OUT_OF_MEMORY:
      return ErrorCode::kResourceExhausted;
    default:
      return stage == ExchangeStage::kAnswering ? ErrorCode::kDataLoss : ErrorCode::kUnavailable;
  }
}

// An authority of the same name but with another key: libcurl reports OpenSSL's first error, which
// is that of the signature check, and not that verification failed.
bool IsBadSignature(CURLcode code, std::string_view detail) {
  return code == CURLE_SSL_CONNECT_ERROR &&
         (detail.find(":asn1 encoding routines:") != std::string_view::npos ||
          detail.find(":rsa routines:") != std::string_view::npos);
}

}  // namespace

Error FromCurl(CURLcode code, ExchangeStage stage, std::string_view detail) {
  std::string text(detail.empty() ? std::string_view(curl_easy_strerror(code)) : detail);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  if (IsBadSignature(code, text)) {
    return Error(ErrorCode::kPermissionDenied,
                 "the certificate is not signed by the authority of that name: " + text);
  }
  return Error(Classify(code, stage), text);
}

}  // namespace leadline

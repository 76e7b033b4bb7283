#include "client_transfer.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "client_error.h"

namespace leadline {
namespace {

constexpr std::size_t kMaxHeaderBytes = 256 << 10;
constexpr std::chrono::milliseconds kConnectTimeout(10'000);
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 15;

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::strchr("()<>@,;:\\\"/[]?={}", c) == nullptr;
  });
}

bool IsFieldValue(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

curl_blob Blob(const std::string& text) {
  curl_blob blob{};
  blob.data = const_cast<char*>(text.data());
  blob.len = text.size();
  blob.flags = CURL_BLOB_NOCOPY;
  return blob;
}

void Append(UniqueList& list, const std::string& line) {
  if (curl_slist* const longer = curl_slist_append(list.get(), line.c_str())) {
    (void)list.release();
    list.reset(longer);
  }
}

}  // namespace

Result<std::unique_ptr<Transfer>> Transfer::Make(HttpRequest request, const HttpTlsOptions& tls) {
  if (!IsToken(request.method)) {
    return Error(ErrorCode::kInvalidArgument, "HTTP request: the method is not a token");
  }
  for (const auto& [name, value] : request.headers) {
    if (!IsToken(name) || !IsFieldValue(value)) {
      return Error(ErrorCode::kInvalidArgument,
                   "HTTP request: a header's name or value holds characters that it must not");
    }
  }
  auto url = PrepareUrl(request.url, tls.server_name);
  if (!url) {
    return url.error();
  }
  std::unique_ptr<Transfer> transfer(new Transfer(std::move(request), std::move(*url)));
  if (transfer->easy_ == nullptr) {
    return Error(ErrorCode::kResourceExhausted, "HTTP request: out of memory");
  }
  transfer->SetUp(tls);
  return transfer;
}

Transfer::Transfer(HttpRequest request, ClientUrl url)
    : request_(std::move(request)),
      url_(std::move(url)),
      easy_(curl_easy_init()),
      last_byte_(std::chrono::steady_clock::now()) {}

void Transfer::SetUp(const HttpTlsOptions& tls) {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail_.data());
  curl_easy_setopt(easy, CURLOPT_URL, url_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Over TLS, wait to see whether a new connection can carry several exchanges rather than open
  // one more. Plain connections never can, and would be waited for until their first answer.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, url_.origin.rfind("https:", 0) == 0 ? 1L : 0L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  const bool limited = request_.timeout.count() > 0;
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
  curl_easy_setopt(
      easy, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(
          (limited ? std::min(request_.timeout, kConnectTimeout) : kConnectTimeout).count()));
  if (!request_.on_data) {
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  SetUpMethod();
  SetUpHeaders();
  SetUpTls(tls);
}

void Transfer::SetUpMethod() {
  CURL* const easy = easy_.get();
  const std::string& method = request_.method;
  const auto size = static_cast<curl_off_t>(request_.body.size());
  if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (method == "POST") {
    // Read through a callback that cannot be rewound: libcurl would otherwise send the body a
    // second time when a kept connection dies, and a POST may have been carried out.
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Transfer::OnRead);
    curl_easy_setopt(easy, CURLOPT_READDATA, this);
    return;
  }
  if (size > 0 || method == "PUT" || method == "PATCH") {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request_.body.data());
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void Transfer::SetUpHeaders() {
  const bool typed =
      std::any_of(request_.headers.begin(), request_.headers.end(),
                  [](const auto& header) { return LowerCase(header.first) == "content-type"; });
  Append(headers_, "Expect:");  // never wait for "100 Continue"
  if (!typed) {
    Append(headers_, "Content-Type:");
  }
  if (!url_.host.empty()) {
    Append(headers_, "Host: " + url_.host);
  }
  for (const auto& [name, value] : request_.headers) {
    // "Name;" is libcurl's way to send a header without a value.
    Append(headers_, value.empty() ? name + ";" : name + ": " + value);
  }
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy_.get(), CURLOPT_USERAGENT, "leadline");
}

void Transfer::SetUpTls(const HttpTlsOptions& tls) {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!url_.connect_to.empty()) {
    Append(connect_to_, url_.connect_to);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  }
  if (!tls.ca_pem.empty()) {
    curl_blob blob = Blob(tls.ca_pem);
    curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
  } else if (!tls.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, tls.ca_file.c_str());
  }
  if (!tls.client_cert_pem.empty()) {
    curl_blob certificate = Blob(tls.client_cert_pem);
    curl_blob key = Blob(tls.client_key_pem);
    curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
  }
  if (tls.insecure_skip_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

std::size_t Transfer::OnRead(char* data, std::size_t size, std::size_t count, void* self) {
  auto* const transfer = static_cast<Transfer*>(self);
  const std::string& body = transfer->request_.body;
  const std::size_t piece = std::min(size * count, body.size() - transfer->sent_);
  std::memcpy(data, body.data() + transfer->sent_, piece);
  transfer->sent_ += piece;
  return piece;
}

std::size_t Transfer::OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
  const bool taken = static_cast<Transfer*>(self)->TakeHeader({data, size * count});
  return taken ? size * count : 0;
}

std::size_t Transfer::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  const bool taken = static_cast<Transfer*>(self)->TakeBody({data, size * count});
  return taken ? size * count : 0;
}

bool Transfer::TakeHeader(std::string_view line) {
  last_byte_ = std::chrono::steady_clock::now();
  header_bytes_ += line.size();
  if (header_bytes_ > kMaxHeaderBytes) {
    error_ = Error(ErrorCode::kResourceExhausted, "the answer's header is too large");
    return false;
  }
  if (line.substr(0, 5) == "HTTP/") {  // also after an interim "100 Continue"
    response_.headers.clear();
    const std::size_t space = line.find(' ');
    const std::string_view number =
        space == std::string_view::npos ? std::string_view() : line.substr(space + 1, 3);
    response_.status = 0;
    std::from_chars(number.data(), number.data() + number.size(), response_.status);
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    response_.headers.emplace_back(LowerCase(Trim(line.substr(0, colon))),
                                   std::string(Trim(line.substr(colon + 1))));
  }
  return true;
}

bool Transfer::TakeBody(std::string_view piece) {
  last_byte_ = std::chrono::steady_clock::now();
  if (request_.on_data && response_.status / 100 == 2) {
    if (const Result<void> taken = request_.on_data(piece); !taken) {
      error_ = taken.error();
      return false;
    }
    return true;
  }
  if (response_.body.size() + piece.size() > request_.max_body_bytes) {
    error_ =
        Error(ErrorCode::kResourceExhausted,
              "the answer is larger than " + std::to_string(request_.max_body_bytes) + " bytes");
    return false;
  }
  response_.body.append(piece);
  return true;
}

Result<HttpResponse> Transfer::Finish(CURLcode code) {
  if (error_) {
    return Explain(*error_);
  }
  if (code == CURLE_OK) {
    return std::move(response_);
  }
  curl_off_t connected = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &connected);
  ExchangeStage stage = connected > 0 ? ExchangeStage::kSent : ExchangeStage::kConnecting;
  if (response_.status >= 200) {
    stage = ExchangeStage::kAnswering;
  }
  return Explain(FromCurl(code, stage, detail_.data()));
}

Error Transfer::Explain(const Error& error) const {
  return error.WithContext(request_.method + " " + url_.origin);
}

std::optional<std::chrono::steady_clock::time_point> Transfer::IdleDeadline() const {
  if (request_.idle_timeout.count() <= 0) {
    return std::nullopt;
  }
  return last_byte_ + request_.idle_timeout;
}

}  // namespace leadline

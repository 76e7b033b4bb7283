// One exchange of the HTTP client: its libcurl handle and what has come back so far.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "client_url.h"
#include "curl_handles.h"
#include "leadline/http/client.h"

namespace leadline {

// Used on the client's strand only.
class Transfer {
 public:
  // `tls` must outlive the transfer.
  static Result<std::unique_ptr<Transfer>> Make(HttpRequest request, const HttpTlsOptions& tls);

  CURL* easy() const { return easy_.get(); }
  // What libcurl's verdict means; moves the response out.
  Result<HttpResponse> Finish(CURLcode code);
  // Puts the origin in front: "GET https://host:port: ...".
  Error Explain(const Error& error) const;

  // When the idle time-out strikes if nothing more arrives; empty without one.
  std::optional<std::chrono::steady_clock::time_point> IdleDeadline() const;

 private:
  Transfer(HttpRequest request, ClientUrl url);
  void SetUp(const HttpTlsOptions& tls);
  void SetUpMethod();
  void SetUpHeaders();
  void SetUpTls(const HttpTlsOptions& tls);

  static std::size_t OnRead(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  bool TakeHeader(std::string_view line);
  bool TakeBody(std::string_view piece);

  HttpRequest request_;
  ClientUrl url_;
  UniqueEasy easy_;
  UniqueList headers_;
  UniqueList connect_to_;
  std::array<char, CURL_ERROR_SIZE> detail_{};
  HttpResponse response_;
  std::optional<Error> error_;  // ours, while libcurl only knows "aborted by callback"
  std::size_t header_bytes_ = 0;
  std::size_t sent_ = 0;
  std::chrono::steady_clock::time_point last_byte_;
};

}  // namespace leadline

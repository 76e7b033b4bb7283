#include "leadline/kubernetes/api_error.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <exception>

#include "leadline/http/client.h"

namespace leadline {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxStatusBytes = 1 << 20;
constexpr std::size_t kMaxQuote = 200;

ErrorCode FromStatus(int status, std::string_view reason) {
  switch (status) {
    case 401:
    case 403:
      return ErrorCode::kPermissionDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return reason == "AlreadyExists" ? ErrorCode::kAlreadyExists : ErrorCode::kConflict;
    case 410:
      return ErrorCode::kGone;
    case 429:
      return ErrorCode::kResourceExhausted;
    case 408:
    case 504:
      return ErrorCode::kTimeout;
    case 502:
    case 503:
      return ErrorCode::kUnavailable;
    default:
      return status >= 400 && status < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
  }
}

std::string Text(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t Number(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

ApiErrorDetails ReadDetails(const json::object& object) {
  ApiErrorDetails details{
      Text(object, "name"), Text(object, "group"), Text(object, "kind"), Text(object, "uid"), {}};
  const json::value* const causes = object.if_contains("causes");
  if (causes == nullptr || !causes->is_array()) {
    return details;
  }
  for (const json::value& item : causes->get_array()) {
    if (const json::object* const cause = item.if_object()) {
      details.causes.push_back(
          {Text(*cause, "reason"), Text(*cause, "message"), Text(*cause, "field")});
    }
  }
  return details;
}

std::optional<ApiError> ReadStatus(std::string_view text) {
  boost::system::error_code code;
  if (text.size() > kMaxStatusBytes) {
    return std::nullopt;
  }
  const json::value value = json::parse(text, code);
  if (code || !value.is_object() || Text(value.get_object(), "kind") != "Status") {
    return std::nullopt;
  }
  const json::object& object = value.get_object();
  ApiError error;
  error.status = static_cast<int>(std::clamp<std::int64_t>(Number(object, "code"), 0, 999));
  error.reason = Text(object, "reason");
  error.message = Text(object, "message");
  error.code = FromStatus(error.status, error.reason);
  const json::value* const details = object.if_contains("details");
  if (details != nullptr && details->is_object()) {
    error.details = ReadDetails(details->get_object());
    error.retry_after = std::chrono::seconds(
        std::clamp<std::int64_t>(Number(details->get_object(), "retryAfterSeconds"), 0, 86'400));
  }
  return error;
}

// What can be shown of bytes that should have been JSON.
std::string Quote(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kMaxQuote)) {
    out += c >= ' ' && c < 0x7f ? c : ' ';
  }
  return out + (text.size() > kMaxQuote ? "..." : "");
}

std::string DescribeForeign(const HttpResponse& response) {
  std::string text = "HTTP " + std::to_string(response.status);
  if (response.status / 100 == 3) {
    return text + ": a redirect, which is not followed";
  }
  const std::size_t start = response.body.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) {
    return text;
  }
  const bool page = response.body[start] == '<';
  return text + (page ? ": not JSON, looks like a login page: " : ": ") +
         Quote(std::string_view(response.body).substr(start));
}

}  // namespace

bool ApiError::OutcomeUnknown() const {
  return status >= 500 || (status == 0 && code != ErrorCode::kInvalidArgument &&
                           code != ErrorCode::kPermissionDenied);
}

Error ApiError::ToError() const {
  return Error(code, reason.empty() ? message : message + " (" + reason + ")");
}

void throw_exception_from_error(const ApiError& error, const boost::source_location& location) {
  throw_exception_from_error(error.ToError(), location);
}

ApiError ApiErrorFrom(const Error& error) {
  ApiError out;
  out.code = error.code();
  out.message = error.message();
  return out;
}

ApiError ApiErrorFrom(const HttpResponse& response) {
  ApiError error = ReadStatus(response.body).value_or(ApiError{});
  if (error.message.empty()) {
    error.message = DescribeForeign(response);
  }
  error.status = response.status;
  error.code = FromStatus(response.status, error.reason);
  const std::string_view after = response.Header("retry-after");
  int seconds = 0;
  const auto [end, code] = std::from_chars(after.data(), after.data() + after.size(), seconds);
  if (code == std::errc() && end == after.data() + after.size() && seconds >= 0) {
    error.retry_after = std::chrono::seconds(std::min(seconds, 86'400));
  }
  return error;
}

ApiError ParseApiStatus(std::string_view text) {
  if (auto error = ReadStatus(text)) {
    return *error;
  }
  ApiError error;
  error.message = "expected a Status, got: " + Quote(text);
  return error;
}

}  // namespace leadline

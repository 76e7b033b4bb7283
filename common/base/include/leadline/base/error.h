// What went wrong, for the caller to act on and for a person to read.
//
// Three kinds of "no" are three types: a refusal ("this node does not fit") is a `Status` of the
// scheduling framework, an error ("Prometheus is unreachable") is an `Error`, a bug stops the
// program.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace leadline {

enum class ErrorCode {
  kInvalidArgument,    // the input is wrong and stays wrong: configuration, file content, quantity
  kNotFound,           // the thing named does not exist
  kAlreadyExists,      // it exists and must not
  kConflict,           // the object changed meanwhile (HTTP 409)
  kPermissionDenied,   // not authenticated, or not allowed (HTTP 401, 403)
  kGone,               // the resource version asked for is too old (HTTP 410)
  kResourceExhausted,  // told to slow down (HTTP 429), or a bound of ours is full
  kUnavailable,        // cannot be reached now; trying again may help
  kTimeout,            // no answer in time; the outcome is unknown
  kDataLoss,           // cut short or corrupt: checksum, truncated file, broken stream
  kCancelled,          // we stopped it ourselves
  kInternal,           // the other side failed, or something that fits nowhere else
};

// The code's name in snake case ("not_found"), fit for a metric label.
std::string_view ErrorCodeName(ErrorCode code);

// A code and a message. Immutable but for context put in front. Not thread-safe for writing.
class Error {
 public:
  Error() = default;  // internal, without words; wanted by Result<T>
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const& { return message_; }
  // `Result::error()` gives a temporary: its message must outlive it.
  std::string message() && { return std::move(message_); }

  // "reading /etc/x: no such file": says what was being done when it went wrong.
  Error WithContext(std::string_view context) const;

 private:
  ErrorCode code_ = ErrorCode::kInternal;
  std::string message_;
};

}  // namespace leadline

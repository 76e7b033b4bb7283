// What the API server refused and why, kept whole.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/error.h"

namespace leadline {

struct HttpResponse;

// metav1.StatusDetails
struct ApiErrorDetails {
  struct Cause {
    std::string reason;
    std::string message;
    std::string field;
  };
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<Cause> causes;
};

struct ApiError {
  ErrorCode code = ErrorCode::kInternal;
  int status = 0;       // HTTP status, or the code of a Status; 0: no answer came
  std::string reason;   // metav1.StatusReason such as "AlreadyExists"; may be empty
  std::string message;  // the server's words, or ours when no Status came
  std::optional<ApiErrorDetails> details;
  std::chrono::seconds retry_after{0};

  // The request may have been carried out all the same: look before doing it again.
  bool OutcomeUnknown() const;
  Error ToError() const;
};

// As Result<T>, with the server's words.
template <typename T>
using ApiResult = boost::system::result<T, ApiError>;

[[noreturn]] void throw_exception_from_error(const ApiError& error,
                                             const boost::source_location& location);

// An exchange without an answer.
ApiError ApiErrorFrom(const Error& error);
// An answer that is not 2xx. Whatever is not a Status (a proxy's web page) is quoted briefly.
ApiError ApiErrorFrom(const HttpResponse& response);
// A metav1.Status, as in the ERROR events of a watch. Anything else gives code kInternal with a
// message that says so.
ApiError ParseApiStatus(std::string_view json);

}  // namespace leadline

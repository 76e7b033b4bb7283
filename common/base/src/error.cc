#include "leadline/base/error.h"

namespace leadline {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kPermissionDenied:
      return "permission_denied";
    case ErrorCode::kGone:
      return "gone";
    case ErrorCode::kResourceExhausted:
      return "resource_exhausted";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kDataLoss:
      return "data_loss";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error Error::WithContext(std::string_view context) const {
  std::string text(context);
  text += ": ";
  text += message_;
  return Error(code_, std::move(text));
}

}  // namespace leadline

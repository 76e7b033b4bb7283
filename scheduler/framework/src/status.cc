#include "leadline/framework/status.h"

#include <fmt/ranges.h>

namespace leadline {

std::string Status::Message() const { return fmt::format("{}", fmt::join(reasons_, ", ")); }

std::string_view StatusCodeName(Status::Code code) {
  switch (code) {
    case Status::Code::kSuccess:
      return "Success";
    case Status::Code::kError:
      return "Error";
    case Status::Code::kUnschedulable:
      return "Unschedulable";
    case Status::Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Status::Code::kWait:
      return "Wait";
    case Status::Code::kSkip:
      return "Skip";
    case Status::Code::kPending:
      return "Pending";
    case Status::Code::kDeferred:
      return "Deferred";
  }
  return "Unknown";
}

}  // namespace leadline

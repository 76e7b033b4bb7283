#include "leadline/base/result.h"

#include <cstdlib>

#include <spdlog/spdlog.h>

namespace leadline {

void throw_exception_from_error(const Error& error, const boost::source_location& location) {
  spdlog::critical("bug: value() of an error at {}:{}: {}", location.file_name(), location.line(),
                   error.message());
  std::abort();
}

}  // namespace leadline

#include "leadline/base/result.h"

#include <cstdio>
#include <cstdlib>

namespace leadline {

void throw_exception_from_error(const Error& error, const boost::source_location& location) {
  std::fprintf(stderr, "bug: value() of an error at %s:%u: %s\n", location.file_name(),
               static_cast<unsigned>(location.line()), std::string(error.message()).c_str());
  std::abort();
}

}  // namespace leadline

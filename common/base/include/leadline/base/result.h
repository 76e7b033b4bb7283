// `Result<T>`: a value or the Error that kept us from it. `Result<void>`: done, or an Error.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include "leadline/base/error.h"

namespace leadline {

// Has `has_value()`, `operator bool`, `value()`, `error()`, `operator*` and `operator->`.
// Return a T or an Error; both convert. `value()` on an error is a bug and stops the program.
template <typename T>
using Result = boost::system::result<T, Error>;

// Called by boost::system::result for `value()` on an error.
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& location);

}  // namespace leadline

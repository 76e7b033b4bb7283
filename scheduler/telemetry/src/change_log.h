// Says a thing once and then only when it changes; private to the module.
#pragma once

#include <optional>
#include <string>

#include "leadline/base/clock.h"

namespace leadline {

// Not thread-safe.
class ChangeLog {
 public:
  // True when `message` is to be said now: another `kind` than last time, or the same kind in other
  // words once the quiet time has passed.
  bool Changed(int kind, const std::string& message, SteadyTime now);

 private:
  std::optional<int> kind_;
  std::string message_;
  SteadyTime said_{};
};

}  // namespace leadline

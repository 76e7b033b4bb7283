#include "change_log.h"

namespace leadline {
namespace {

constexpr std::chrono::minutes kQuiet{5};

}  // namespace

bool ChangeLog::Changed(int kind, const std::string& message, SteadyTime now) {
  if (kind_ == kind && (message_ == message || now - said_ < kQuiet)) return false;
  kind_ = kind;
  message_ = message;
  said_ = now;
  return true;
}

}  // namespace leadline

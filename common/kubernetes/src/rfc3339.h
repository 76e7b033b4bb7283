// https://datatracker.ietf.org/doc/html/rfc3339
#pragma once

#include <optional>
#include <string_view>

#include "leadline/base/clock.h"

namespace leadline {

// "2026-12-01T10:00:00Z", with a fraction of a second, or with an offset such as +01:00.
std::optional<SystemTime> ParseRfc3339(std::string_view text);

}  // namespace leadline

// Enumerations and their names in configuration, logs and metric labels.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leadline/base/result.h"

namespace leadline {

// The enumerator whose name it is; kInvalidArgument naming the known ones.
template <typename Enum, std::size_t N>
Result<Enum> ParseName(std::string_view kind, std::string_view name,
                       const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("unknown {} \"{}\"; there are {}", kind, name, fmt::join(names, ", ")));
}

}  // namespace leadline

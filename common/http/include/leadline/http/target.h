// The request target "/path%20x?a=b&c" taken apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};

// kInvalidArgument when it does not start with '/' or has a broken percent sequence.
Result<Target> ParseTarget(std::string_view text);

}  // namespace leadline

// What the arguments of all plugins have in common.
#pragma once

#include <string_view>

#include "leadline/yaml/document.h"

namespace leadline {

// `apiVersion` and `kind` may be left out, but must be right when they are there.
void CheckArgsKind(const YamlNode& args, std::string_view kind);

}  // namespace leadline

// Small files read whole, and base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "leadline/base/result.h"

namespace leadline {

// kNotFound, kPermissionDenied or kUnavailable naming the file; kInvalidArgument beyond 16 MiB.
Result<std::string> ReadFile(const std::string& path);

// RFC 4648 with padding; white space is skipped. Nothing when it is no such thing.
std::optional<std::string> DecodeBase64(std::string_view text);
std::string EncodeBase64(std::string_view bytes);

std::string_view TrimSpace(std::string_view text);

}  // namespace leadline

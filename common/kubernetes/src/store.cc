#include "leadline/kubernetes/store.h"

#include <spdlog/spdlog.h>

#include "leadline/kubernetes/watch_stream.h"

namespace leadline {

void LogUnreadable(const std::string& path, std::string_view json, const Error& error) {
  const auto identity = ReadIdentity(json);
  spdlog::warn("{}: {} cannot be read: {}", path, identity ? identity->Key() : "an object",
               error.message());
}

}  // namespace leadline

#include <cstdint>
#include <cstdlib>

#include "leadline/http/server.h"
#include "leadline/http/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)leadline::ParseHttpAddress(text);
  const auto target = leadline::ParseTarget(text);
  if (target && target->path.size() > text.size()) std::abort();  // decoding never makes longer
  return 0;
}

#include <cstdint>
#include <cstdlib>

#include "leadline/kubernetes/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto quantity = leadline::Quantity::Parse(text);
  if (!quantity) return 0;
  // A sign turns the number round and changes nothing else.
  if (text.front() != '-' && text.front() != '+') {
    const auto negative = leadline::Quantity::Parse("-" + std::string(text));
    if (!negative || negative->Value() != -quantity->Value()) std::abort();
  }
  return 0;
}

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "leadline/nn/bytes.h"
#include "leadline/nn/weights_file.h"

namespace {

void Check(std::string_view bytes) {
  const auto weights = leadline::ParseWeights(bytes);
  if (!weights) return;
  // What is accepted is finite and has one form only.
  for (float parameter : weights->network.Parameters()) {
    if (!std::isfinite(parameter)) std::abort();
  }
  if (leadline::FormatWeights(*weights) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Check(bytes);
  if (size < 4) return 0;
  // A checksum that is right lets the input past the first gate.
  leadline::ByteWriter sealed;
  sealed.Raw(bytes.substr(0, size - 4));
  sealed.U32(leadline::Crc32(sealed.bytes()));
  Check(sealed.bytes());
  return 0;
}

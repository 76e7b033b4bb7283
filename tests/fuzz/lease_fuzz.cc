#include <cstdint>

#include "leadline/kubernetes/lease.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lease = leadline::ParseLease({reinterpret_cast<const char*>(data), size});
  if (lease) leadline::ToJson(*lease);
  return 0;
}

#include <cstdint>
#include <cstdlib>

#include "leadline/kubernetes/lease.h"

// What was written into a Lease is read from it again, whatever else is in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto lease = leadline::Lease::Parse(text);
  if (!lease) return 0;
  leadline::LeaseRecord record = lease->record();
  record.holder = "somebody";
  record.duration_seconds = record.transitions / 2;
  lease->set_record(record);
  const auto again = leadline::Lease::Parse(lease->Json());
  if (!again || !(again->record() == record)) std::abort();
  return 0;
}

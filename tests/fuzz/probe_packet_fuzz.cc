#include <cstdint>
#include <cstdlib>

#include "leadline/probe/packet.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto packet = leadline::Decode({data, size});
  if (!packet) return 0;
  if (size != leadline::kProbePacketSize) std::abort();
  // What was understood comes back the same; the reserved bytes are not looked at.
  const auto again = leadline::Decode(leadline::Encode(*packet));
  if (!again || again->kind != packet->kind || again->sender != packet->sender ||
      again->sequence != packet->sequence || again->token != packet->token ||
      again->turnaround_ns != packet->turnaround_ns) {
    std::abort();
  }
  return 0;
}

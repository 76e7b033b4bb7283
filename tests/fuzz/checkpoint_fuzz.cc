#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "leadline/nn/bytes.h"
#include "leadline/rl/agent.h"

namespace {

void Check(std::string_view bytes) {
  leadline::Agent agent({2, 3, {4}, {4}}, {}, 1);
  const std::string before = agent.Save();
  if (!agent.Restore(bytes)) {
    if (agent.Save() != before) std::abort();
    return;
  }
  // Whatever was accepted, the agent can go on with it and stays finite.
  for (int i = 0; i < 3; ++i) agent.Update();
  const auto parameters = agent.network().Parameters();
  const auto finite = [](float parameter) { return std::isfinite(parameter); };
  if (!std::all_of(parameters.begin(), parameters.end(), finite)) std::abort();
  if (!std::isfinite(agent.statistics().mean_reward)) std::abort();
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

#include <cstdint>

#include "leadline/extender/extender_api.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto args = leadline::ParseExtenderArgs(text);
  if (args) leadline::ToJson({args->node_names, {}, {}, ""}, *args);
  const auto binding = leadline::ParseExtenderBinding(text);
  if (!binding) leadline::ErrorJson(binding.error().message());
  const auto preemption = leadline::ParseExtenderPreemptionArgs(text);
  if (preemption) leadline::ToJson(preemption->victims);
  return 0;
}

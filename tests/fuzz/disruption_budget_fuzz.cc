#include <cstdint>

#include "leadline/kubernetes/disruption_budget.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto budget = leadline::ParseDisruptionBudget({reinterpret_cast<const char*>(data), size});
  if (budget && budget->selector) budget->selector->Matches(budget->metadata.labels);
  return 0;
}

#include <cstdint>

#include "leadline/framework/node_info.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto node = leadline::ParseNode(text);
  if (node) leadline::NodeInfo info(std::make_shared<const leadline::Node>(std::move(*node)));
  return 0;
}

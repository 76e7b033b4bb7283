#include <cstdint>

#include "leadline/framework/node_info.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto pod = leadline::ParsePod(text);
  if (!pod) return 0;
  const leadline::PodInfo info(std::make_shared<const leadline::Pod>(std::move(*pod)));
  leadline::HostPorts ports;
  ports.Add(*info.pod);
  ports.Remove(*info.pod);
  return 0;
}

#include <cstdint>

#include "leadline/kubernetes/storage.h"

// Every kind is read from the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto claim = leadline::ParsePersistentVolumeClaim(text)) claim->Class();
  (void)leadline::ParsePersistentVolume(text);
  (void)leadline::ParseStorageClass(text);
  if (auto node = leadline::ParseCsiNode(text)) node->FindDriver("d");
  (void)leadline::ParseCsiDriver(text);
  if (auto room = leadline::ParseCsiStorageCapacity(text)) (void)room->VolumeLimit();
  (void)leadline::ParseVolumeAttachment(text);
  return 0;
}

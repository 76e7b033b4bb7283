#include "json_reader.h"

namespace leadline {

Result<Pod> ParsePod(std::string_view json) {
  Pod pod;
  const auto done = ReadObject(
      json, "Pod", [&pod](JsonReader& reader, std::string_view key, JsonReader::Value value) {
        if (key == "metadata") ReadMetadata(reader, value, &pod.metadata);
        if (key == "spec") ReadPodSpec(reader, value, &pod.spec);
        if (key == "status") ReadPodStatus(reader, value, &pod.status);
      });
  if (!done) return done.error();
  return pod;
}

}  // namespace leadline

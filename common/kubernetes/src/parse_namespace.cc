#include "json_reader.h"
#include "leadline/kubernetes/namespace.h"

namespace leadline {

Result<Namespace> ParseNamespace(std::string_view json) {
  Namespace out;
  const auto done = ReadObject(
      json, "Namespace", [&out](JsonReader& reader, std::string_view key, JsonReader::Value value) {
        if (key == "metadata") ReadMetadata(reader, value, &out.metadata);
      });
  if (!done) return done.error();
  return out;
}

}  // namespace leadline

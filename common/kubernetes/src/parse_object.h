// Objects of which little is read: metadata and some members.
#pragma once

#include "json_reader.h"

namespace leadline {

// An object whose members are `metadata` and what `read(reader, key, value, out)` takes.
template <typename T, typename Read>
Result<T> ParseObject(std::string_view json, std::string_view kind, Read read) {
  T out;
  const auto done = ReadObject(
      json, kind, [&](JsonReader& reader, std::string_view key, JsonReader::Value value) {
        if (key == "metadata") return ReadMetadata(reader, value, &out.metadata);
        read(reader, key, value, &out);
      });
  if (!done) return done.error();
  return out;
}

// The same of `spec`.
template <typename T, typename Read>
Result<T> ParseSpec(std::string_view json, std::string_view kind, Read read) {
  return ParseObject<T>(
      json, kind, [&](JsonReader& reader, std::string_view key, JsonReader::Value value, T* out) {
        if (key != "spec") return;
        reader.Members(value, [&](std::string_view field, JsonReader::Value item) {
          read(reader, field, item, out);
        });
      });
}

}  // namespace leadline

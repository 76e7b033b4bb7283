// What the extender's readers of JSON share. Keys count in any case: kube-scheduler's types carry
// no names for JSON, so whoever else writes the calls may spell them in lower case.
#pragma once

#include <strings.h>

#include <string_view>

#include <fmt/format.h>
#include <simdjson.h>

#include "leadline/extender/extender_api.h"

namespace leadline {

namespace od = simdjson::ondemand;

inline bool Is(std::string_view key, std::string_view name) {
  return key.size() == name.size() && strncasecmp(key.data(), name.data(), key.size()) == 0;
}

inline Error Wrong(std::string_view field, std::string_view expected) {
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("extender arguments: {}: expected {}", field, expected));
}

inline Result<void> ReadPod(od::value value, Pod* out) {
  std::string_view raw;
  if (simdjson::to_json_string(value).get(raw) != simdjson::SUCCESS) {
    return Wrong("Pod", "an object");
  }
  Result<Pod> pod = ParsePod(raw);
  if (!pod) return pod.error().WithContext("extender arguments: Pod");
  *out = std::move(*pod);
  return {};
}

// Calls `read(key, value)` for each member that is not null.
template <typename Read>
Result<void> ReadMembers(od::object object, std::string_view where, Read read) {
  for (auto field : object) {
    std::string_view key;
    od::value value;
    od::json_type type{};
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS ||
        value.type().get(type) != simdjson::SUCCESS) {
      return Wrong(where, "well-formed JSON");
    }
    if (type == od::json_type::null) continue;
    if (const Result<void> done = read(key, value); !done) return done.error();
  }
  return {};
}

template <typename Read>
Result<void> ReadBody(std::string_view text, std::string_view expected, Read read) {
  od::parser parser;
  const simdjson::padded_string padded(text);
  od::document document;
  od::object object;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return Wrong("body", expected);
  }
  return ReadMembers(object, "body", read);
}

}  // namespace leadline

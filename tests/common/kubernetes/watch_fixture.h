// Small objects, a story of events about them, and what they should leave behind.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/watch_stream.h"

namespace leadline {

// An object that has nothing but its metadata and a value.
struct Thing {
  ObjectMeta metadata;
  std::string json;
};

inline std::string ThingJson(const std::string& name, const std::string& uid, int version,
                             const std::string& value = "") {
  return R"({"kind":"Thing","metadata":{"name":")" + name + R"(","namespace":"n","uid":")" + uid +
         R"(","resourceVersion":")" + std::to_string(version) + R"("},"value":")" + value + R"("})";
}

inline Result<Thing> ParseThing(std::string_view json) {
  if (json.find("unreadable") != std::string_view::npos) {
    return Error(ErrorCode::kInvalidArgument, "Thing value: unreadable");
  }
  const auto identity = ReadIdentity(json);
  if (!identity) return identity.error();
  Thing thing;
  thing.metadata.name = identity->name;
  thing.metadata.namespace_name = identity->namespace_name;
  thing.metadata.uid = identity->uid;
  thing.metadata.resource_version = identity->resource_version;
  thing.json = json;
  return thing;
}

inline std::string EventLine(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string BookmarkLine(int version) {
  return EventLine("BOOKMARK", R"({"kind":"Thing","metadata":{"resourceVersion":")" +
                                   std::to_string(version) + "\"}}");
}
inline std::string ListJson(const std::vector<std::string>& items, int version,
                            const std::string& continue_token = "") {
  std::string text = R"({"kind":"ThingList","metadata":{"resourceVersion":")" +
                     std::to_string(version) + R"(","continue":")" + continue_token +
                     R"("},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}";
}

// 50 events with escapes, characters of several bytes, and Things that come, change and go.
struct Story {
  std::string stream;
  std::map<std::string, std::string> left;  // key -> JSON

  Story() {
    for (int i = 1; i <= 50; ++i) {
      const std::string name = "t" + std::to_string(i % 7);
      const std::string key = "n/" + name;
      const std::string value =
          "a\\nb \\\"q\\\" \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 {[,]} \\u00e9" + std::to_string(i);
      const std::string object = ThingJson(name, "uid-" + name, i, value);
      const bool there = left.count(key) > 0;
      if (there && i % 5 == 0) {
        stream += EventLine("DELETED", object);
        left.erase(key);
      } else {
        stream += EventLine(there ? "MODIFIED" : "ADDED", object);
        left[key] = object;
      }
    }
  }
};

}  // namespace leadline

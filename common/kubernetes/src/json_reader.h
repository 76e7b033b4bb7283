// Reading Kubernetes objects with simdjson on demand: each value once, in the order of the text,
// straight into our structs, remembering the path for the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "leadline/base/clock.h"
#include "leadline/base/result.h"
#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {

// As in Go, null stands for an absent value everywhere. Mistakes leave by simdjson's own
// exception, which ReadObject() turns into an Error; nothing of it gets out of this module.
class JsonReader {
 public:
  using Value = simdjson::ondemand::value;

  // Calls `read(key, value)` for each member of an object; members that it does not touch are
  // skipped.
  template <typename Read>
  void Members(Value value, Read read) {
    if (!IsNull(value)) MembersOf(value.get_object(), read);
  }
  template <typename Read>
  void Members(simdjson::ondemand::document& document, Read read) {
    MembersOf(document.get_object(), read);
  }

  // Calls `read(value)` for each item of an array.
  template <typename Read>
  void Items(Value value, Read read) {
    if (IsNull(value)) return;
    simdjson::ondemand::array array = Expect(value.get_array(), "an array");
    path_.push_back({{}, 0});
    for (auto&& item : array) {
      Value entry = std::move(item);
      read(std::move(entry));
      ++path_.back().index;
    }
    path_.pop_back();
  }

  bool IsNull(Value& value) { return value.is_null(); }
  std::string_view View(Value value);  // valid while the text is being read
  std::string Text(Value value) { return std::string(View(value)); }
  bool Boolean(Value value);
  int Integer(Value value);
  std::int64_t Integer64(Value value);
  Quantity Amount(Value value);  // a JSON string or number
  SystemTime Time(Value value);  // RFC 3339
  StringMap Map(Value value);
  std::vector<std::string> Texts(Value value);
  ResourceList Resources(Value value);

  [[noreturn]] void Fail(std::string what);

  std::string Path() const;  // "spec.containers[0].name"
  const std::string& failure() const { return failure_; }

 private:
  template <typename Read>
  void MembersOf(simdjson::simdjson_result<simdjson::ondemand::object> result, Read read) {
    simdjson::ondemand::object object = Expect(std::move(result), "an object");
    for (auto member : object) {
      const std::string_view key = member.unescaped_key();
      path_.push_back({key, 0});
      Value item = member.value();
      read(key, item);
      path_.pop_back();  // not unwound: after an exception it still names the place
    }
  }

  struct Step {
    std::string_view key;  // empty: an item
    std::size_t index;
  };

  template <typename T>
  T Expect(simdjson::simdjson_result<T> result, const char* form) {
    if (result.error() == simdjson::INCORRECT_TYPE) Fail(std::string("expected ") + form);
    return std::move(result).value();
  }

  std::vector<Step> path_;
  std::string failure_;
};

void ReadMetadata(JsonReader& reader, JsonReader::Value value, ObjectMeta* out);
void ReadNodeSelectorTerm(JsonReader& reader, JsonReader::Value value, NodeSelectorTerm* out);
void ReadLabelSelector(JsonReader& reader, JsonReader::Value value, OptionalSelector* out);
void ReadAffinity(JsonReader& reader, JsonReader::Value value, PodSpec* out);
void ReadSpreadConstraint(JsonReader& reader, JsonReader::Value value,
                          TopologySpreadConstraint* out);
void ReadContainer(JsonReader& reader, JsonReader::Value value, Container* out);
void ReadVolume(JsonReader& reader, JsonReader::Value value, Volume* out);
// Of a source whose field is `kind`; nothing (and nothing read) when that is no disk.
std::optional<DiskSource> ReadDisk(JsonReader& reader, std::string_view kind,
                                   JsonReader::Value value);
void ReadPodSpec(JsonReader& reader, JsonReader::Value value, PodSpec* out);
void ReadPodStatus(JsonReader& reader, JsonReader::Value value, PodStatus* out);

// The text behind a parser that is kept between calls: its buffers are worth keeping.
class JsonText {
 public:
  // One a thread; the document is valid until the next call on this thread.
  static simdjson::ondemand::document Open(std::string_view json);
};

// Parses `json` and calls `read(reader, key, value)` for each of its members. kInvalidArgument
// naming `kind` and the field.
template <typename Read>
Result<void> ReadObject(std::string_view json, std::string_view kind, Read read) {
  JsonReader reader;
  try {
    simdjson::ondemand::document document = JsonText::Open(json);
    reader.Members(
        document, [&](std::string_view key, JsonReader::Value value) { read(reader, key, value); });
    const char* rest = nullptr;
    if (!document.current_location().get(rest)) reader.Fail("more follows the object");
    return {};
  } catch (const simdjson::simdjson_error& error) {
    const std::string path = reader.Path();
    return Error(ErrorCode::kInvalidArgument,
                 std::string(kind) + (path.empty() ? "" : " " + path) + ": " +
                     (reader.failure().empty() ? error.what() : reader.failure()));
  }
}

}  // namespace leadline

#include "leadline/kubernetes/watch_stream.h"

#include <simdjson.h>

namespace leadline {
namespace {

namespace ondemand = simdjson::ondemand;

std::string ReadText(ondemand::value value) {
  return value.is_null() ? std::string() : std::string(std::string_view(value.get_string()));
}

void ReadMetadata(ondemand::object metadata, ObjectIdentity& out) {
  for (auto field : metadata) {
    const std::string_view key = field.unescaped_key();
    std::string* const target = key == "name"              ? &out.name
                                : key == "namespace"       ? &out.namespace_name
                                : key == "uid"             ? &out.uid
                                : key == "resourceVersion" ? &out.resource_version
                                                           : nullptr;
    if (target != nullptr) {
      *target = ReadText(field.value());
    }
  }
}

ObjectIdentity ReadObjectIdentity(ondemand::object object) {
  ObjectIdentity identity;
  for (auto field : object) {
    if (std::string_view(field.unescaped_key()) == "metadata") {
      ReadMetadata(field.value().get_object(), identity);
      break;
    }
  }
  return identity;
}

// A padded copy and the parser's own buffers, kept between calls.
struct Scratch {
  ondemand::parser parser;
  std::string padded;

  ondemand::document Open(std::string_view json) {
    padded.assign(json);
    padded.append(simdjson::SIMDJSON_PADDING, '\0');
    return parser.iterate(padded.data(), json.size(), padded.size());
  }
};

Result<WatchEventType> ParseType(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  if (text == "ERROR") return WatchEventType::kError;
  return Error(ErrorCode::kDataLoss,
               "watch event: unknown type \"" + std::string(text.substr(0, 50)) + "\"");
}

Error NotJson(std::string_view what, std::string_view text, const simdjson::simdjson_error& error) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool page = start != std::string_view::npos && text[start] == '<';
  return Error(ErrorCode::kDataLoss,
               std::string(what) + ": " +
                   (page ? "not JSON, looks like a login page" : std::string(error.what())));
}

}  // namespace

std::string ObjectIdentity::Key() const {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

Result<ObjectIdentity> ReadIdentity(std::string_view json) {
  thread_local Scratch scratch;
  try {
    ondemand::document document = scratch.Open(json);
    ObjectIdentity identity = ReadObjectIdentity(document.get_object());
    if (identity.name.empty()) {
      return Error(ErrorCode::kInvalidArgument, "object: metadata.name is missing");
    }
    return identity;
  } catch (const simdjson::simdjson_error& error) {
    return Error(ErrorCode::kInvalidArgument, std::string("object: ") + error.what());
  }
}

Result<void> LineSplitter::Feed(std::string_view piece, const OnLine& on_line) {
  while (true) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (pending_.size() + part.size() > max_line_bytes_) {
      return Error(ErrorCode::kResourceExhausted,
                   "watch: an event is larger than " + std::to_string(max_line_bytes_) + " bytes");
    }
    if (end == std::string_view::npos) {
      pending_ += part;
      return {};
    }
    piece.remove_prefix(end + 1);
    std::string_view line = part;
    std::string whole;
    if (!pending_.empty()) {
      whole.swap(pending_);
      whole += part;
      line = whole;
    }
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    if (const Result<void> taken = on_line(line); !taken) {
      return taken.error();
    }
  }
}

Result<WatchEvent> ParseWatchEvent(std::string_view line) {
  thread_local Scratch scratch;
  try {
    ondemand::document document = scratch.Open(line);
    ondemand::object envelope = document.get_object();
    const auto type = ParseType(envelope["type"].get_string());
    if (!type) {
      return type.error();
    }
    ondemand::object object = envelope["object"].get_object();
    WatchEvent event{*type, object.raw_json(), {}};
    if (event.type == WatchEventType::kError) {
      return event;
    }
    object.reset();
    event.identity = ReadObjectIdentity(object);
    const bool bookmark = event.type == WatchEventType::kBookmark;
    if (event.identity.resource_version.empty() || (!bookmark && event.identity.name.empty())) {
      return Error(ErrorCode::kDataLoss,
                   "watch event: metadata.resourceVersion or metadata.name is missing");
    }
    return event;
  } catch (const simdjson::simdjson_error& error) {
    return NotJson("watch event", line, error);
  }
}

Result<ListPage> ParseListPage(std::string& json) {
  thread_local ondemand::parser parser;
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  ListPage page;
  try {
    ondemand::document document = parser.iterate(json.data(), json.size(), json.capacity());
    bool has_metadata = false;
    for (auto field : document.get_object()) {
      const std::string_view key = field.unescaped_key();
      if (key == "metadata") {
        has_metadata = true;
        for (auto entry : field.value().get_object()) {
          const std::string_view name = entry.unescaped_key();
          if (name == "resourceVersion") page.resource_version = ReadText(entry.value());
          if (name == "continue") page.continue_token = ReadText(entry.value());
        }
      } else if (key == "items") {
        ondemand::value items = field.value();
        if (items.is_null()) continue;
        for (auto item : items.get_array()) {
          ondemand::object object = item.get_object();
          page.items.push_back(object.raw_json());
        }
      }
    }
    if (!has_metadata || page.resource_version.empty()) {
      return Error(ErrorCode::kDataLoss, "list: metadata.resourceVersion is missing");
    }
    return page;
  } catch (const simdjson::simdjson_error& error) {
    return NotJson("list", json, error);
  }
}

}  // namespace leadline

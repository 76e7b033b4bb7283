// The bytes of a watch, cut anywhere by the network, put together again to events.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

// What tells one object from another, and one state of it from the next.
struct ObjectIdentity {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;

  std::string Key() const;  // "namespace/name", or "name"
};

// Reads an object's metadata. kInvalidArgument when there is none with a name.
Result<ObjectIdentity> ReadIdentity(std::string_view json);

// Whole lines out of pieces. Not thread-safe.
class LineSplitter {
 public:
  using OnLine = std::function<Result<void>(std::string_view)>;

  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  // Calls `on_line` for each line that is complete now, without its newline; empty lines are
  // skipped. Stops at the first Error of `on_line`. kResourceExhausted for a line beyond the
  // limit. What is left when the stream ends was cut off and is to be dropped.
  Result<void> Feed(std::string_view piece, const OnLine& on_line);

  // Drops what is pending: a new stream begins.
  void Clear() { pending_.clear(); }

 private:
  const std::size_t max_line_bytes_;
  std::string pending_;
};

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  std::string_view object;  // valid until the next call on this thread
  ObjectIdentity identity;  // empty for kError; of a bookmark only the resource version
};

// One line of a watch. kDataLoss when it is no such thing.
Result<WatchEvent> ParseWatchEvent(std::string_view line);

struct ListPage {
  std::vector<std::string_view> items;  // into the text given
  std::string resource_version;
  std::string continue_token;  // empty: the last page
};

// A list answer (PodList, ...). `json` is grown by padding, not changed otherwise. kDataLoss when
// it is no such thing.
Result<ListPage> ParseListPage(std::string& json);

}  // namespace leadline

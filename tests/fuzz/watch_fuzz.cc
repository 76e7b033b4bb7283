// The stream of a watch, whole and cut at a place that the first byte gives, must mean the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "leadline/kubernetes/api_error.h"
#include "leadline/kubernetes/watch_stream.h"

namespace {

constexpr std::size_t kMaxLine = 4096;

std::vector<std::string> Lines(std::string_view first, std::string_view second) {
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) -> leadline::Result<void> {
    lines.emplace_back(line);
    return {};
  };
  leadline::LineSplitter splitter(kMaxLine);
  if (splitter.Feed(first, take)) (void)splitter.Feed(second, take);
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = text.size() * data[0] / 256;
  const auto whole = Lines(text, "");
  if (whole != Lines(text.substr(0, cut), text.substr(cut))) std::abort();
  for (const std::string& line : whole) {
    const auto event = leadline::ParseWatchEvent(line);
    if (event && event->type == leadline::WatchEventType::kError) {
      (void)leadline::ParseApiStatus(event->object);
    }
  }
  (void)leadline::ParseApiStatus(text);
  (void)leadline::ReadIdentity(text);
  std::string list(text);
  const auto page = leadline::ParseListPage(list);
  if (page) {
    for (const std::string_view item : page->items) (void)leadline::ReadIdentity(item);
  }
  return 0;
}

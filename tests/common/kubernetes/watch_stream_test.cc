#include "leadline/kubernetes/watch_stream.h"

#include <gmock/gmock.h>

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Split(const std::vector<std::string>& pieces) {
  LineSplitter splitter(1000);
  std::vector<std::string> lines;
  for (const std::string& piece : pieces) {
    EXPECT_TRUE(splitter.Feed(piece, [&](std::string_view line) -> Result<void> {
      lines.emplace_back(line);
      return {};
    }));
  }
  return lines;
}

TEST(LineSplitterTest, PutsLinesTogether) {
  EXPECT_THAT(Split({"a\nb\n"}), ElementsAre("a", "b"));
  EXPECT_THAT(Split({"a", "b", "\n", "c"}), ElementsAre("ab"));
  EXPECT_THAT(Split({"\n\r\n \na\r\n"}), ElementsAre("a\r"));
}

TEST(LineSplitterTest, RefusesALineBeyondTheLimit) {
  LineSplitter splitter(10);
  const auto ignore = [](std::string_view) -> Result<void> { return {}; };
  EXPECT_TRUE(splitter.Feed("0123456789\n0123456789", ignore));
  const auto result = splitter.Feed("x", ignore);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), ErrorCode::kResourceExhausted);
}

TEST(ParseWatchEventTest, ReadsTypeObjectAndIdentity) {
  const auto event = ParseWatchEvent(
      R"({"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"a","namespace":"n",)"
      R"("uid":"u","resourceVersion":"7","labels":{"name":"no"}},"spec":{}}})");
  ASSERT_TRUE(event) << event.error().message();
  EXPECT_EQ(event->type, WatchEventType::kModified);
  EXPECT_EQ(event->identity.Key(), "n/a");
  EXPECT_EQ(event->identity.uid, "u");
  EXPECT_EQ(event->identity.resource_version, "7");
  EXPECT_EQ(event->object.substr(0, 14), R"({"kind":"Pod",)");
  EXPECT_EQ(event->object.substr(event->object.size() - 12), R"(},"spec":{}})");
}

TEST(ParseWatchEventTest, RefusesEverythingElse) {
  for (const char* wrong :
       {"", "{", "[]", "null", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":[]})",
        R"({"type":"NEW","object":{"metadata":{"name":"a","resourceVersion":"1"}}})",
        R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})",
        R"({"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}})",
        R"({"type":1,"object":{"metadata":{"name":"a","resourceVersion":"1"}}})", "<html>"}) {
    const auto event = ParseWatchEvent(wrong);
    ASSERT_FALSE(event) << wrong;
    EXPECT_EQ(event.error().code(), ErrorCode::kDataLoss) << wrong;
  }
}

TEST(ParseListPageTest, ReadsItemsInAnyOrderOfFields) {
  std::string json =
      R"({"items":[{"metadata":{"name":"a"}}, {"metadata":{"name":"b"}} ],"kind":"PodList",)"
      R"("metadata":{"continue":"c","resourceVersion":"9","remainingItemCount":3}})";
  const auto page = ParseListPage(json);
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->continue_token, "c");
  ASSERT_EQ(page->items.size(), 2u);
  EXPECT_EQ(ReadIdentity(page->items[1])->name, "b");
  std::string empty = R"({"items":null,"metadata":{"resourceVersion":"9"}})";
  EXPECT_TRUE(ParseListPage(empty)->items.empty());
}

TEST(ParseListPageTest, RefusesEverythingElse) {
  for (const char* text : {"", "{}", R"({"items":[]})", R"({"items":[1],"metadata":{}})",
                           R"({"metadata":{"resourceVersion":"1"},"items":[{)"}) {
    std::string wrong = text;
    const auto page = ParseListPage(wrong);
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().code(), ErrorCode::kDataLoss);
  }
  std::string login = "<!DOCTYPE html><html>";
  EXPECT_THAT(ParseListPage(login).error().message(), HasSubstr("looks like a login page"));
}

}  // namespace
}  // namespace leadline

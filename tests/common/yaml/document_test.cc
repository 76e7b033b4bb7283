#include "leadline/yaml/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

YamlDocument Parse(std::string_view text) {
  auto document = YamlDocument::Parse(text, "dir/x.yaml");
  EXPECT_TRUE(document.has_value()) << document.error().message();
  return std::move(*document);
}

std::string SyntaxError(std::string_view text) {
  const auto document = YamlDocument::Parse(text, "x.yaml");
  return document ? "" : document.error().message();
}

TEST(YamlDocumentTest, ReadsWhatIsThereAndKeepsDefaults) {
  const YamlDocument document =
      Parse("name: a\ncount: 1e+06\nratio: 0.5\non: true\nwait: 1m30s\nlist: [x, 'y']\nnone: ~\n");
  const YamlNode root = document.root();
  std::string name, none = "kept";
  std::int64_t count = 0;
  double ratio = 0, absent = 7;
  bool on = false;
  std::chrono::nanoseconds wait{};
  std::vector<std::string> list;
  EXPECT_TRUE(root.Get("name").Read(&name));
  EXPECT_TRUE(root.Get("count").Read(&count));
  EXPECT_TRUE(root.Get("ratio").Read(&ratio, 0, 1));
  EXPECT_TRUE(root.Get("on").Read(&on));
  EXPECT_TRUE(root.Get("wait").Read(&wait));
  EXPECT_TRUE(root.Get("list").Read(&list));
  EXPECT_FALSE(root.Get("none").Read(&none));
  EXPECT_FALSE(root.Get("absent").Read(&absent));
  root.RejectUnknownKeys();
  EXPECT_TRUE(document.Check().has_value());
  EXPECT_EQ(name, "a");
  EXPECT_EQ(count, 1000000);
  EXPECT_EQ(ratio, 0.5);
  EXPECT_TRUE(on);
  EXPECT_EQ(wait, seconds(90));
  EXPECT_THAT(list, ElementsAre("x", "y"));
  EXPECT_EQ(none, "kept");
  EXPECT_EQ(absent, 7);
}

TEST(YamlDocumentTest, TellsEveryMistakeWithFileLineKeyAndForm) {
  const YamlDocument document = Parse("a: yes\nb: 010\nc:\n  d: 2\n  e: x\nf: 5\n");
  bool a = false;
  int b = 0;
  double d = 0;
  const YamlNode root = document.root();
  root.Get("a").Read(&a);
  root.Get("b").Read(&b);
  root.Get("c").Get("d").Read(&d, 0, 1);
  root.Get("c").RejectUnknownKeys();
  root.RejectUnknownKeys();
  EXPECT_EQ(document.Check().error().message(),
            "dir/x.yaml:1: a: expected true or false, found \"yes\"\n"
            "dir/x.yaml:2: b: expected a whole number from -2147483648 to 2147483647, found "
            "\"010\"\n"
            "dir/x.yaml:4: c.d: expected a number from 0 to 1, found \"2\"\n"
            "dir/x.yaml:5: c.e: unknown key; expected one of: d\n"
            "dir/x.yaml:6: f: unknown key; expected one of: a, b, c");
}

TEST(YamlDocumentTest, AQuotedTruthIsAText) {
  const YamlDocument document = Parse("a: \"true\"\n");
  bool a = false;
  EXPECT_FALSE(document.root().Get("a").Read(&a));
  EXPECT_FALSE(document.Check().has_value());
}

TEST(YamlDocumentTest, AMapWhereAListBelongs) {
  const YamlDocument document = Parse("a: {b: 1}\nc: 3\n");
  EXPECT_TRUE(document.root().Get("a").Items().empty());
  EXPECT_FALSE(document.root().Get("c").Get("d").exists());
  EXPECT_EQ(document.Check().error().message(),
            "dir/x.yaml:1: a: expected a list, found a map\n"
            "dir/x.yaml:2: c: expected a map of keys and values, found \"3\"");
}

TEST(YamlDocumentTest, ItemsKnowTheirPlace) {
  const YamlDocument document = Parse("a:\n- b: 1\n- b: 2\n");
  const auto items = document.root().Get("a").Items();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[1].Get("b").path(), "a[1].b");
  EXPECT_EQ(items[1].Get("b").line(), 3);
}

TEST(YamlDocumentTest, RefusesWhatHasTwoMeanings) {
  EXPECT_THAT(SyntaxError("a: 1\nb: 2\na: 3\n"), HasSubstr("x.yaml:3: key \"a\" is given twice"));
  EXPECT_THAT(SyntaxError("a: &x 1\nb: *x\n"), HasSubstr("x.yaml:2: anchors and aliases"));
  EXPECT_THAT(SyntaxError("a: 1\n---\nb: 2\n"), HasSubstr("found several"));
  EXPECT_THAT(SyntaxError("a: [1\n"), HasSubstr("x.yaml:"));
  EXPECT_THAT(SyntaxError("a: !!int 3\n"), HasSubstr("tags are not allowed"));
  EXPECT_THAT(SyntaxError(std::string(100000, '[')), HasSubstr("nested too deeply"));
}

TEST(YamlDocumentTest, EmptyIsAnEmptyMap) {
  const YamlDocument document = Parse("# nothing\n");
  std::string name = "default";
  EXPECT_FALSE(document.root().Get("name").Read(&name));
  document.root().RejectUnknownKeys();
  EXPECT_TRUE(document.Check().has_value());
}

TEST(YamlDocumentTest, PathsAreRelativeToTheFile) {
  const YamlDocument document = Parse("a: 1\n");
  EXPECT_EQ(document.ResolvePath("models/m.bin"), "dir/models/m.bin");
  EXPECT_EQ(document.ResolvePath("/m.bin"), "/m.bin");
}

TEST(YamlDocumentTest, MissingFileIsNamed) {
  const auto document = YamlDocument::Load("/nowhere/x.yaml");
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(document.error().message(), HasSubstr("/nowhere/x.yaml: No such file"));
}

TEST(ParseGoDurationTest, AsGoReadsIt) {
  EXPECT_EQ(*ParseGoDuration("1.5s"), milliseconds(1500));
  EXPECT_EQ(*ParseGoDuration("1h2m3s4ms"), seconds(3723) + milliseconds(4));
  EXPECT_EQ(*ParseGoDuration("0"), seconds(0));
  for (const char* wrong : {"", "5", "s", "1.2.3s", "-1s", "1d", "1e3s", "99999999999h"}) {
    EXPECT_FALSE(ParseGoDuration(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace leadline

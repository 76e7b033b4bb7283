#include "leadline/extender/extender_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseExtenderArgsTest, ReadsKeysInAnyCase) {
  for (const char* text :
       {R"({"Pod":{"metadata":{"name":"p","namespace":"d"}},"NodeNames":["a","b"],"Nodes":null})",
        R"({"nodenames":["a","b"],"pod":{"metadata":{"name":"p","namespace":"d"}}})"}) {
    const auto args = ParseExtenderArgs(text);
    ASSERT_TRUE(args.has_value()) << args.error().message();
    EXPECT_EQ(args->pod.metadata.Key(), "d/p");
    EXPECT_THAT(args->node_names, ElementsAre("a", "b"));
    EXPECT_FALSE(args->node_json.has_value());
  }
}

TEST(ParseExtenderArgsTest, AKeyThatGoesOnAfterANulIsAnotherKey) {
  const auto args = ParseExtenderArgs(R"({"Pod\u0000":{},"NodeNames":[]})");
  ASSERT_FALSE(args.has_value());
  EXPECT_THAT(args.error().message(), HasSubstr("Pod: expected to be present"));
}

TEST(ParseExtenderArgsTest, SaysWhatIsWrong) {
  const auto error = [](const char* text) { return ParseExtenderArgs(text).error().message(); };
  EXPECT_THAT(error("[]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(error(R"({"NodeNames":[]})"), HasSubstr("Pod: expected to be present"));
  EXPECT_THAT(error(R"({"Pod":{}})"), HasSubstr("NodeNames: expected to be present"));
  EXPECT_THAT(error(R"({"Pod":{},"NodeNames":[1]})"), HasSubstr("a list of names"));
  EXPECT_THAT(error(R"({"Pod":{},"Nodes":{"items":[{}]}})"), HasSubstr("metadata.name"));
  EXPECT_THAT(error(R"({"Pod":{},"Nodes":{}})"), HasSubstr("NodeList"));
}

TEST(ExtenderFilterResultTest, NamesGoBackAsNames) {
  ExtenderArgs args;
  EXPECT_EQ(ToJson({{"a"}, {{"b", "x, y"}}, {{"c", "z"}}, ""}, args),
            R"({"NodeNames":["a"],"Nodes":null,"FailedNodes":{"b":"x, y"},)"
            R"("FailedAndUnresolvableNodes":{"c":"z"},"Error":""})");
}

TEST(ExtenderFilterResultTest, WholeNodesGoBackWhole) {
  const auto args = ParseExtenderArgs(
      R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"},"x":[1]},{"metadata":{"name":"b"}}]}})");
  ASSERT_TRUE(args.has_value()) << args.error().message();
  EXPECT_THAT(args->node_names, ElementsAre("a", "b"));
  EXPECT_THAT(ToJson({{"a"}, {}, {}, ""}, *args),
              HasSubstr(R"("Nodes":{"items":[{"metadata":{"name":"a"},"x":[1]}]})"));
}

TEST(HostPriorityListTest, IsAListOfHostsAndScores) {
  EXPECT_EQ(HostPriorityListJson({{"a", 10}, {"b", 0}}),
            R"([{"Host":"a","Score":10},{"Host":"b","Score":0}])");
}

}  // namespace
}  // namespace leadline

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

TEST(ParseExtenderPreemptionArgsTest, ReadsVictimsByUid) {
  const auto args = ParseExtenderPreemptionArgs(
      R"({"Pod":{"metadata":{"name":"p","namespace":"d"}},"NodeNameToMetaVictims":
          {"a":{"Pods":[{"UID":"u1"},{"uid":"u2"}],"NumPDBViolations":1},"b":{"Pods":[]}}})");
  ASSERT_TRUE(args.has_value()) << args.error().message();
  EXPECT_EQ(args->pod.metadata.Key(), "d/p");
  EXPECT_FALSE(args->whole_pods);
  ASSERT_EQ(args->victims.size(), 2u);
  EXPECT_THAT(args->victims.at("a").uids, ElementsAre("u1", "u2"));
  EXPECT_EQ(args->victims.at("a").pdb_violations, 1);
  EXPECT_THAT(args->victims.at("b").uids, ElementsAre());
}

TEST(ParseExtenderPreemptionArgsTest, ReadsWholeVictims) {
  const auto args = ParseExtenderPreemptionArgs(
      R"({"Pod":{},"NodeNameToVictims":{"a":{"Pods":[{"metadata":{"name":"v","uid":"u1"}}]}}})");
  ASSERT_TRUE(args.has_value()) << args.error().message();
  EXPECT_TRUE(args->whole_pods);
  EXPECT_THAT(args->victims.at("a").uids, ElementsAre("u1"));
}

TEST(ParseExtenderPreemptionArgsTest, SaysWhatIsWrong) {
  const auto error = [](const char* text) {
    const auto args = ParseExtenderPreemptionArgs(text);
    return args ? std::string("none") : args.error().message();
  };
  EXPECT_THAT(error("[]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(error(R"({"NodeNameToMetaVictims":{}})"), HasSubstr("Pod: expected to be present"));
  EXPECT_THAT(error(R"({"Pod":{}})"), HasSubstr("NodeNameToMetaVictims: expected to be present"));
  EXPECT_THAT(error(R"({"Pod":{},"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":1}]}}})"),
              HasSubstr("UID: expected a text"));
  EXPECT_THAT(error(R"({"Pod":{},"NodeNameToMetaVictims":{"a":{"Pods":{}}}})"),
              HasSubstr("Pods: expected a list"));
  EXPECT_THAT(error(R"({"Pod":{},"NodeNameToMetaVictims":{"a":{"NumPDBViolations":"1"}}})"),
              HasSubstr("NumPDBViolations: expected a number"));
}

TEST(ExtenderVictimsTest, GoBackByUid) {
  EXPECT_EQ(ToJson(ExtenderVictimsMap{{"n", {{"u"}, 0}}}),
            R"({"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":"u"}],"NumPDBViolations":0}}})");
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

#include "leadline/extender/extender_server.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/extender/extender_fixture.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

using ExtenderServerTest = ExtenderFixture;

TEST_F(ExtenderServerTest, TellsWhoFitsAndWhyTheOthersDoNot) {
  const auto result = extender_->Filter(Args("2", {"large", "small", "tainted", "stranger"}));
  EXPECT_THAT(result.node_names, ElementsAre("large"));
  EXPECT_THAT(result.failed, ElementsAre(Pair("stranger", HasSubstr("not known"))));
  // Evicting others would not make a node of one CPU larger.
  EXPECT_THAT(result.failed_and_unresolvable,
              ElementsAre(Pair("small", "Insufficient cpu"),
                          Pair("tainted", "node(s) had untolerated taint(s)")));
  EXPECT_EQ(result.error, "");
}

TEST_F(ExtenderServerTest, AnswersOnlyForTheNodesAskedAbout) {
  EXPECT_THAT(extender_->Filter(Args("100m", {"small"})).node_names, ElementsAre("small"));
}

TEST_F(ExtenderServerTest, ScoresLieBetween0And10) {
  const auto scores = extender_->Prioritize(Args("500m", {"small", "large", "stranger"}));
  EXPECT_THAT(scores, ElementsAre(Pair("small", 0), Pair("large", 10), Pair("stranger", 0)));
}

constexpr const char* kBinding =
    R"({"PodName":"p","PodNamespace":"d","PodUID":"u","Node":"large"})";

TEST_F(ExtenderServerTest, BindsWhatItIsTold) {
  MakeExtender({.client_certificate = false, .token_file = "", .loopback = true});
  EXPECT_EQ(Post("/bind", kBinding), R"(200 {"Error":""})");
  EXPECT_THAT(bound_, ElementsAre("d/p u large"));
  bind_result_ = Error(ErrorCode::kConflict, "it is on small");
  EXPECT_EQ(Post("/bind", kBinding), R"(200 {"Error":"it is on small"})");
  EXPECT_THAT(Post("/bind", R"({"PodName":"p","PodNamespace":"d","Node":"large"})"),
              testing::AllOf(testing::StartsWith("400"), HasSubstr("PodUID")));
  EXPECT_EQ(bound_.size(), 2u);
}

TEST_F(ExtenderServerTest, BindIsNotForJustAnybody) {
  EXPECT_THAT(Post("/bind", kBinding), testing::StartsWith("404"));
  EXPECT_THAT(bound_, testing::IsEmpty());
}

TEST_F(ExtenderServerTest, ATokenOpensTheVerbs) {
  const std::string file = testing::TempDir() + "/leadline_extender_token";
  std::ofstream(file) << "first\n";
  MakeExtender({.client_certificate = true, .token_file = file, .loopback = false});
  for (const char* path : {"/filter", "/prioritize", "/preempt", "/bind"}) {
    EXPECT_THAT(Post(path, kBinding), testing::StartsWith("401")) << path;
    EXPECT_THAT(Post(path, kBinding, {{"Authorization", "Bearer other"}}),
                testing::StartsWith("401"));
  }
  EXPECT_THAT(bound_, testing::IsEmpty());
  EXPECT_THAT(Post("/bind", kBinding, {{"Authorization", "Bearer first"}}),
              testing::StartsWith("200"));
  std::ofstream(file) << "second";
  EXPECT_THAT(Post("/bind", kBinding, {{"Authorization", "Bearer first"}}),
              testing::StartsWith("401"));
  std::ofstream(file) << "";  // an emptied file opens to nobody
  EXPECT_THAT(Post("/bind", kBinding, {{"Authorization", "Bearer "}}), testing::StartsWith("401"));
  EXPECT_EQ(bound_.size(), 1u);
}

TEST_F(ExtenderServerTest, NothingToSayIsEqualScores) {
  const auto scores = extender_->Prioritize(Args("100", {"large", "small"}));
  EXPECT_THAT(scores, ElementsAre(Pair("large", 0), Pair("small", 0)));
}

}  // namespace
}  // namespace leadline

#include "leadline/extender/extender_server.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

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

TEST_F(ExtenderServerTest, C31_WithoutAnythingToGoByAllNodesPassWithEqualScores) {
  const auto args = Args("100m", {"large", "twin"});
  AddNode("twin", "8", "");
  const auto filtered = extender_->Filter(args);
  EXPECT_THAT(filtered.node_names, ElementsAre("large", "twin"));
  EXPECT_EQ(filtered.error, "");
  const auto scores = extender_->Prioritize(args);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].second, scores[1].second);
}

// A Pod of `cpu` that runs on `node`.
std::shared_ptr<const Pod> Running(const std::string& uid, const std::string& node,
                                   const std::string& cpu) {
  return std::make_shared<const Pod>(*ParsePod(
      R"({"metadata":{"name":")" + uid + R"(","namespace":"d","uid":")" + uid +
      R"("},"spec":{"nodeName":")" + node +
      R"(","containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu + R"("}}}]}})"));
}

constexpr const char* kPreemptor =
    R"({"Pod":{"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{"containers":[
        {"name":"c","resources":{"requests":{"cpu":"6"}}}]}},)";

TEST_F(ExtenderServerTest, C33_PreemptAnswersASubsetOfWhatItWasAsked) {
  cache_.SetPod(Running("u1", "large", "4"));
  cache_.SetPod(Running("u2", "large", "1"));
  cache_.SetPod(Running("u3", "small", "1"));
  const std::string large = R"({"NodeNameToMetaVictims":{"large":{"Pods":[{"UID":"u1"}],)"
                            R"("NumPDBViolations":0}}})";
  // "small" stays too small, "tainted" tainted, and nobody knows "stranger".
  EXPECT_EQ(Post("/preempt", std::string(kPreemptor) +
                                 R"("NodeNameToMetaVictims":{"large":{"Pods":[{"UID":"u1"}]},
                                 "small":{"Pods":[{"UID":"u3"}]},"tainted":{"Pods":[]},
                                 "stranger":{"Pods":[{"UID":"u9"}]}}})"),
            "200 " + large);
  // Whole victims, as an extender without a node cache is sent.
  EXPECT_EQ(Post("/preempt", std::string(kPreemptor) +
                                 R"("NodeNameToVictims":{"large":{"Pods":[
                                 {"metadata":{"name":"u1","namespace":"d","uid":"u1"}}]}}})"),
            "200 " + large);
  // The wrong victim is no help, and neither is one that is not there.
  for (const char* uid : {"u2", "u9"}) {
    EXPECT_EQ(Post("/preempt", std::string(kPreemptor) +
                                   R"("NodeNameToMetaVictims":{"large":{"Pods":[{"UID":")" + uid +
                                   R"("}]}}})"),
              R"(200 {"NodeNameToMetaVictims":{}})")
        << uid;
  }
  EXPECT_THAT(Post("/preempt", R"({"Pod":{}})"), testing::StartsWith("400"));
}

// What a call about "large" for a Pod with this status is, and how often the node was judged.
struct Judged {
  std::string answer;
  int times = 0;
};

class CatchingUp : public ExtenderFixture {
 protected:
  CatchingUp() {
    auto script = std::make_shared<Script>();
    script->filter = [this](const NodeInfo&) {
      return ++judged_ > room_after_ ? Status() : Status(Status::Code::kUnschedulable, "full");
    };
    MakeScriptedExtender(script);
    cache_.RemoveNode("small");
    cache_.RemoveNode("tainted");
  }

  Judged Filter(const std::string& status) {
    judged_ = 0;
    const std::string answer =
        Post("/filter", R"({"Pod":{"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{},)"
                        R"("status":)" +
                            status + R"(},"NodeNames":["large"]})");
    return {answer, judged_};
  }

  int judged_ = 0;
  int room_after_ = 0;
};

TEST_F(CatchingUp, ACallerAheadOfUsIsNotRefused) {
  room_after_ = 3;
  const Judged judged = Filter("{}");
  EXPECT_THAT(judged.answer, HasSubstr(R"("NodeNames":["large"])"));
  EXPECT_EQ(judged.times, 4);
}

TEST_F(CatchingUp, WhatDoesNotFitIsRefusedInTheEndAndNextTimeAtOnce) {
  room_after_ = 1 << 30;
  Judged judged = Filter("{}");
  EXPECT_THAT(judged.answer, HasSubstr(R"("FailedNodes":{"large":"full"})"));
  EXPECT_GT(judged.times, 1);
  judged = Filter("{}");
  EXPECT_THAT(judged.answer, HasSubstr(R"("FailedNodes":{"large":"full"})"));
  EXPECT_EQ(judged.times, 1);
  // Pods were evicted for this one.
  EXPECT_GT(Filter(R"({"nominatedNodeName":"large"})").times, 1);
}

// C29: whatever the plugins score, the ranks come through.
TEST_F(ExtenderServerTest, C29_ScoresAreIntegersThatKeepTheRanks) {
  std::mt19937 random(29);
  std::map<std::string, std::int64_t> given;
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    names.push_back("n" + std::to_string(i));
    AddNode(names.back(), "8", "");
  }
  auto script = std::make_shared<Script>();
  script->score = [&](const NodeInfo& node) { return given[node.name()]; };
  MakeScriptedExtender(script);

  for (int round = 0; round < 300; ++round) {
    const int range = 1 << (round % 7);
    for (const std::string& name : names) given[name] = static_cast<int>(random() % range);
    const auto scores = extender_->Prioritize(Args("100m", names));
    ASSERT_EQ(scores.size(), names.size());
    std::int64_t best = 0, worst = kMaxExtenderScore;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_EQ(scores[i].first, names[i]);
      best = std::max(best, scores[i].second);
      worst = std::min(worst, scores[i].second);
      for (std::size_t j = 0; j < i; ++j) {
        const auto a = given[names[i]], b = given[names[j]];
        if (a == b) {
          EXPECT_EQ(scores[i].second, scores[j].second);
        }
        if (a < b) {
          EXPECT_LE(scores[i].second, scores[j].second);
        }
        if (a > b) {
          EXPECT_GE(scores[i].second, scores[j].second);
        }
      }
    }
    EXPECT_EQ(best, kMaxExtenderScore);
    if (range > 1) {
      EXPECT_EQ(worst, 0);
    }
  }
}

}  // namespace
}  // namespace leadline

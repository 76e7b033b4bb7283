#include "leadline/extender/extender_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/core/default_binder.h"
#include "leadline/plugins/registry.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ExtenderServerTest : public testing::Test {
 protected:
  ExtenderServerTest() {
    PluginRegistry plugins = BuiltInPlugins(listers_);
    plugins.emplace(DefaultBinder::kName, MakeDefaultBinder(writer_));
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    ExtenderServer::Profiles profiles;
    profiles.push_back(std::move(*Framework::Make(profile, plugins, nullptr)));
    extender_ = std::make_unique<ExtenderServer>(std::move(profiles), cache_, registry_);
    AddNode("large", "8", "");
    AddNode("small", "1", "");
    AddNode("tainted", "8", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  }

  void AddNode(const std::string& name, const std::string& cpu, const std::string& spec) {
    auto node = ParseNode(R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec +
                          R"(},"status":{"allocatable":{"cpu":")" + cpu +
                          R"(","memory":"8Gi","pods":"10"}}})");
    ASSERT_TRUE(node.has_value()) << node.error().message();
    cache_.SetNode(std::make_shared<const Node>(std::move(*node)));
  }

  static ExtenderArgs Args(const std::string& cpu, std::vector<std::string> nodes) {
    ExtenderArgs args;
    args.pod = *ParsePod(R"({"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{"containers":
        [{"name":"c","resources":{"requests":{"cpu":")" +
                         cpu + R"("}}}]}})");
    args.node_names = std::move(nodes);
    return args;
  }

  NoWriter writer_;
  Registry registry_;
  Cache cache_;
  Listers listers_;
  std::unique_ptr<ExtenderServer> extender_;
};

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

TEST_F(ExtenderServerTest, NothingToSayIsEqualScores) {
  const auto scores = extender_->Prioritize(Args("100", {"large", "small"}));
  EXPECT_THAT(scores, ElementsAre(Pair("large", 0), Pair("small", 0)));
}

}  // namespace
}  // namespace leadline

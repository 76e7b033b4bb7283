#include "leadline/extender/extender_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <fstream>

#include "common/http/io_thread.h"
#include "leadline/core/default_binder.h"
#include "leadline/http/server.h"
#include "leadline/plugins/registry.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ExtenderServerTest : public testing::Test {
 protected:
  ExtenderServerTest() {
    MakeExtender({});
    AddNode("large", "8", "");
    AddNode("small", "1", "");
    AddNode("tainted", "8", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  }

  void MakeExtender(ExtenderAccess access) {
    PluginRegistry plugins = BuiltInPlugins(listers_);
    plugins.emplace(DefaultBinder::kName, MakeDefaultBinder(writer_));
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    ExtenderServer::Profiles profiles;
    profiles.push_back(*Framework::Make(profile, plugins, nullptr));
    const auto bind = [this](std::shared_ptr<const Pod> pod, const std::string& node,
                             std::function<void(Result<void>)> done) {
      bound_.push_back(pod->metadata.Key() + " " + pod->metadata.uid + " " + node);
      done(bind_result_);
    };
    extender_ = std::make_unique<ExtenderServer>(std::move(profiles), cache_, bind,
                                                 std::move(access), registries_.emplace_back());
  }

  // What a call over HTTP is answered: the status, a space and the body.
  std::string Post(const std::string& path, const std::string& body, HttpHeaders headers = {}) {
    IoThread loop;
    HttpServer server(loop.io(), {});
    extender_->Register(server);
    EXPECT_TRUE(server.Listen());
    HttpClient client(loop.io(), {});
    HttpRequest request;
    request.method = "POST";
    request.url = "http://127.0.0.1:" + std::to_string(server.port()) + path;
    request.body = body;
    request.headers = std::move(headers);
    const auto answer = client.SendAndWait(std::move(request));
    EXPECT_TRUE(answer);
    return std::to_string(answer->status) + " " + answer->body;
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
  std::deque<Registry> registries_;
  std::vector<std::string> bound_;
  Result<void> bind_result_;
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
  for (const char* path : {"/filter", "/prioritize", "/bind"}) {
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

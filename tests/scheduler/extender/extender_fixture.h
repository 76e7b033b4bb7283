// An extender with the default plugins over three nodes: large, small and tainted.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/http/io_thread.h"
#include "leadline/core/default_binder.h"
#include "leadline/extender/extender_server.h"
#include "leadline/http/server.h"
#include "leadline/plugins/registry.h"
#include "scheduler/framework/scripted_plugin.h"

namespace leadline {

class ExtenderFixture : public testing::Test {
 protected:
  ExtenderFixture() {
    MakeExtender({});
    AddNode("large", "8", "");
    AddNode("small", "1", "");
    AddNode("tainted", "8", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  }

  void MakeExtender(ExtenderAccess access) {
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    MakeExtender(std::move(access), profile, BuiltInPlugins(listers_));
  }

  // One whose only filter and scorer is the script.
  void MakeScriptedExtender(std::shared_ptr<const Script> script) {
    PluginRegistry plugins = BuiltInPlugins(listers_);
    leadline::Register(&plugins, "Scripted", std::move(script));
    ProfileConfig profile;
    for (const char* name : {"PrioritySort", "Scripted", "DefaultBinder"}) {
      profile.default_plugins.push_back({name});
    }
    MakeExtender({}, profile, std::move(plugins));
  }

  void MakeExtender(ExtenderAccess access, const ProfileConfig& profile, PluginRegistry plugins) {
    plugins.emplace(DefaultBinder::kName, MakeDefaultBinder(writer_));
    ExtenderServer::Profiles profiles;
    profiles.push_back(*Framework::Make(profile, plugins, nullptr));
    const auto bind = [this](std::shared_ptr<const Pod> pod, const std::string& node,
                             std::function<void(Result<void>)> done) {
      bound_.push_back(pod->metadata.Key() + " " + pod->metadata.uid + " " + node);
      done(bind_result_);
    };
    extender_ = std::make_unique<ExtenderServer>(loop_.io(), std::move(profiles), cache_, bind,
                                                 std::move(access), registries_.emplace_back());
  }

  // What a call over HTTP is answered: the status, a space and the body.
  std::string Post(const std::string& path, const std::string& body, HttpHeaders headers = {}) {
    HttpServer server(loop_.io(), {});
    extender_->Register(server);
    EXPECT_TRUE(server.Listen());
    HttpClient client(loop_.io(), {});
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

  IoThread loop_;
  NoWriter writer_;
  std::deque<Registry> registries_;
  std::vector<std::string> bound_;
  Result<void> bind_result_;
  Cache cache_;
  Listers listers_;
  std::unique_ptr<ExtenderServer> extender_;
};

}  // namespace leadline

// Asks plugins by name, as the Framework would, about Pods and nodes written as JSON.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "leadline/plugins/registry.h"

namespace leadline {

class PluginFixture : public ::testing::Test {
 protected:
  // `args` are the plugin's arguments as YAML; a mistake in them fails the test.
  template <typename T>
  std::shared_ptr<T> Make(const std::string& name, const std::string& args = "{}") {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    const YamlNode node = document.root().Get(args == "{}" ? "absent" : "args");
    const auto plugin = BuiltInPlugins(listers_).find(name)->second(node, &document).value();
    const auto checked = document.Check();
    EXPECT_TRUE(checked) << checked.error().message();
    return std::dynamic_pointer_cast<T>(plugin);
  }

  static PodInfo MakePod(const std::string& json) {
    auto pod = ParsePod(json);
    EXPECT_TRUE(pod) << pod.error().message();
    return PodInfo(std::make_shared<const Pod>(std::move(pod).value()));
  }

  static std::shared_ptr<NodeInfo> MakeNode(const std::string& json) {
    auto node = ParseNode(json);
    EXPECT_TRUE(node) << node.error().message();
    return std::make_shared<NodeInfo>(std::make_shared<const Node>(std::move(node).value()));
  }

  static void Place(NodeInfo& node, const std::string& pod_json) {
    node.AddPod(std::make_shared<const PodInfo>(MakePod(pod_json)));
  }

  Status Filter(const std::string& plugin, const PodInfo& pod, const NodeInfo& node) {
    return Make<FilterPlugin>(plugin)->Filter(state_, pod, node);
  }

  Status PreFilter(const std::string& plugin, const PodInfo& pod) {
    result_ = {};
    return Make<PreFilterPlugin>(plugin)->PreFilter(state_, pod, &result_);
  }

  Listers listers_;
  Snapshot snapshot_;
  CycleState state_{"decision", snapshot_, 0};
  PreFilterResult result_;
};

}  // namespace leadline

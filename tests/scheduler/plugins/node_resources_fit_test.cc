#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = Status::Code;

std::string Asking(const std::string& requests) {
  return R"({"metadata":{"uid":"u"},"spec":{"containers":[{"resources":{"requests":{)" + requests +
         "}}}]}}";
}

class NodeResourcesFitTest : public PluginFixture {
 protected:
  static std::shared_ptr<NodeInfo> NodeWith(const std::string& allocatable) {
    return MakeNode(R"({"status":{"allocatable":{)" + allocatable + "}}}");
  }
  Status Fit(const std::string& requests, const NodeInfo& node) {
    return Filter("NodeResourcesFit", MakePod(Asking(requests)), node);
  }
  std::int64_t Score(const std::string& args, const std::string& requests, const NodeInfo& node) {
    return Make<ScorePlugin>("NodeResourcesFit", args)
        ->Score(state_, MakePod(Asking(requests)), node, 0)
        .value();
  }
};

TEST_F(NodeResourcesFitTest, ExactlyWhatIsFreeFits) {
  const auto node = NodeWith(R"("cpu":"4","memory":"129e6","pods":"9")");
  Place(*node, Asking(R"("cpu":"250m")"));
  EXPECT_TRUE(Fit(R"("cpu":"3750m","memory":"129M")", *node).ok());
  EXPECT_THAT(Fit(R"("cpu":"3751m","memory":"129000001")", *node).reasons(),
              ElementsAre("Insufficient cpu", "Insufficient memory"));
}

TEST_F(NodeResourcesFitTest, ZeroIsNeverTooMuch) {
  const auto node = NodeWith(R"("cpu":"2","pods":"3")");
  Place(*node, Asking(R"("cpu":"2500m")"));
  EXPECT_TRUE(Fit("", *node).ok());
  EXPECT_TRUE(Fit(R"("example.com/widget":"0")", *node).ok());
  EXPECT_EQ(Fit(R"("example.com/widget":"1")", *node).Message(), "Insufficient example.com/widget");
  EXPECT_EQ(Fit(R"("cpu":"1m")", *node).Message(), "Insufficient cpu");
  Place(*node, Asking(""));
  EXPECT_TRUE(Fit("", *node).ok());
  Place(*node, Asking(""));
  EXPECT_EQ(Fit("", *node).Message(), "Too many pods");
}

TEST_F(NodeResourcesFitTest, WithoutAPodCountNothingFits) {
  EXPECT_EQ(Fit("", *NodeWith(R"("cpu":"4")")).Message(), "Too many pods");
}

TEST_F(NodeResourcesFitTest, MoreThanTheEmptyNodeHasIsUnresolvable) {
  const auto node = NodeWith(R"("cpu":"4","pods":"9")");
  Place(*node, Asking(R"("cpu":"3")"));
  EXPECT_EQ(Fit(R"("cpu":"2")", *node).code(), Code::kUnschedulable);
  EXPECT_EQ(Fit(R"("cpu":"5")", *node).code(), Code::kUnschedulableAndUnresolvable);
}

TEST_F(NodeResourcesFitTest, PendingResizesAreNotBelieved) {
  const auto resized = [](const std::string& spec, const std::string& status) {
    return R"({"metadata":{"uid":"a"},"spec":{"containers":[{"name":"c","resources":{"requests":
        {"cpu":")" +
           spec + R"("}}}]},"status":{"containerStatuses":[{"name":"c",
        "allocatedResources":{"cpu":")" +
           status + R"("},"resources":{"requests":{"cpu":")" + status + R"("}}}]}})";
  };
  const auto node = NodeWith(R"("cpu":"4","pods":"9")");
  Place(*node, resized("1", "3"));
  EXPECT_FALSE(Fit(R"("cpu":"2")", *node).ok());
  node->RemovePod("a");
  Place(*node, resized("3", "1"));
  EXPECT_FALSE(Fit(R"("cpu":"2")", *node).ok());
  node->RemovePod("a");
  Place(*node, resized("1", "1"));
  EXPECT_TRUE(Fit(R"("cpu":"2")", *node).ok());
}

TEST_F(NodeResourcesFitTest, IgnoresExtendedResourcesByNameAndGroup) {
  const auto node = NodeWith(R"("cpu":"4","pods":"9")");
  const auto plugin = Make<FilterPlugin>(
      "NodeResourcesFit", "{ignoredResources: [a.com/x], ignoredResourceGroups: [b.com]}");
  const auto filter = [&](const std::string& requests) {
    return plugin->Filter(state_, MakePod(Asking(requests)), *node);
  };
  EXPECT_TRUE(filter(R"("a.com/x":"1","b.com/y":"1")").ok());
  EXPECT_EQ(filter(R"("a.com/z":"1")").Message(), "Insufficient a.com/z");
  EXPECT_EQ(filter(R"("hugepages-2Mi":"2Mi")").Message(), "Insufficient hugepages-2Mi");
}

TEST_F(NodeResourcesFitTest, ScoresWhatWouldBeFreeOrTaken) {
  const auto node = NodeWith(R"("cpu":"4","memory":"1000Mi","x.com/gpu":"4","pods":"9")");
  Place(*node, Asking(R"("cpu":"1","memory":"300Mi")"));
  // 50% of the CPUs and 40% of the memory would be taken.
  EXPECT_EQ(Score("{}", R"("cpu":"1","memory":"100Mi")", *node), (50 + 60) / 2);
  const std::string most =
      "{scoringStrategy: {type: MostAllocated, resources: ["
      "{name: cpu, weight: 3}, {name: memory}, {name: x.com/gpu}]}}";
  EXPECT_EQ(Score(most, R"("cpu":"1","memory":"100Mi")", *node), (3 * 50 + 40) / 4);
  EXPECT_EQ(Score(most, R"("cpu":"1","memory":"100Mi","x.com/gpu":"1")", *node),
            (3 * 50 + 40 + 25) / 5);
  // A Pod without requests counts 100m and 200Mi, and a full node is 0 or 100.
  EXPECT_EQ(Score("{}", "", *node), (72 + 50) / 2);
  EXPECT_EQ(Score("{}", R"("cpu":"9","memory":"9Gi")", *node), 0);
  EXPECT_EQ(Score(most, R"("cpu":"9","memory":"9Gi")", *node), 100);
}

TEST_F(NodeResourcesFitTest, MistakesInTheArgumentsAreTold) {
  const auto mistake = [this](const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    const auto plugin =
        BuiltInPlugins(listers_)["NodeResourcesFit"](document.root().Get("args"), &document);
    EXPECT_TRUE(plugin);
    return document.Check().error().message();
  };
  EXPECT_THAT(mistake("{scoringStrategy: {type: Best}}"), HasSubstr("scoringStrategy.type"));
  EXPECT_THAT(mistake("{ignoredResource: [a.com/x]}"), HasSubstr("ignoredResource"));
  EXPECT_THAT(mistake("{ignoredResourceGroups: [a.com/x]}"), HasSubstr("without a slash"));
  EXPECT_THAT(mistake("{kind: NodeAffinityArgs}"), HasSubstr("NodeResourcesFitArgs"));
  EXPECT_THAT(mistake("{scoringStrategy: {resources: [{name: cpu, weight: 101}]}}"),
              HasSubstr("weight"));
}

}  // namespace
}  // namespace leadline

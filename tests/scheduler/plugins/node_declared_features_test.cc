#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

constexpr const char* kName = "NodeDeclaredFeatures";
constexpr const char* kRestarts =
    R"("initContainers":[{"restartPolicyRules":[{"action":"RestartAllContainers"}]}])";

class NodeDeclaredFeaturesTest : public WorldFixture {
 protected:
  NodeDeclaredFeaturesTest() {
    Declare("both", R"("RestartAllContainersOnContainerExits","UserNamespacesHostNetworkSupport")");
    Declare("none", "");
    Declare("restarts", R"("RestartAllContainersOnContainerExits","InventedTomorrow")");
  }
  void Declare(const std::string& name, const std::string& features) {
    nodes_[name] = MakeNode(R"({"metadata":{"name":")" + name +
                            R"("},"status":{"declaredFeatures":[)" + features + "]}}");
  }
};

TEST_F(NodeDeclaredFeaturesTest, ANodeDeclaresAllThatThePodNeeds) {
  EXPECT_EQ(Feasible(kName, PodJson("", kRestarts)), "both restarts");
  EXPECT_EQ(Feasible(kName, PodJson("", R"("hostNetwork":true,"hostUsers":false)")), "both");
  EXPECT_EQ(Feasible(kName, PodJson("", std::string(kRestarts) +
                                            R"(,"hostNetwork":true,"hostUsers":false)")),
            "both");
  EXPECT_EQ(Verdicts(kName, PodJson("", kRestarts)).at("none"),
            "node(s) didn't match Pod's required features");
}

TEST_F(NodeDeclaredFeaturesTest, OrdinaryPodsNeedNothing) {
  for (const char* spec : {"", R"("hostNetwork":true)", R"("hostUsers":false)",
                           R"("hostNetwork":true,"hostUsers":true)"}) {
    EXPECT_TRUE(PreFilter(kName, MakePod(PodJson("", spec))).skip()) << spec;
  }
}

TEST_F(NodeDeclaredFeaturesTest, WakesForANodeThatNowDeclaresIt) {
  const auto plugin = Make<EnqueueExtensions>(kName);
  const Pod pod = ParsePod(PodJson("", kRestarts)).value();
  const auto helps = [&](const char* old, const char* now) {
    return plugin->Helps(pod, {ClusterEvent::kNodeDeclaredFeatureUpdate,
                               {},
                               {},
                               nodes_.at(old)->shared_node(),
                               nodes_.at(now)->shared_node()});
  };
  EXPECT_TRUE(helps("none", "restarts"));
  EXPECT_FALSE(helps("both", "restarts"));
  EXPECT_FALSE(helps("restarts", "none"));
}

}  // namespace
}  // namespace leadline

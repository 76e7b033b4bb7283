#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/framework/queued_pod_info.h"
#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using Code = Status::Code;

using NodeFilters = PluginFixture;

std::string Tolerating(const std::string& toleration) {
  return R"({"spec":{"tolerations":[)" + toleration + "]}}";
}

TEST_F(NodeFilters, NodeUnschedulableLooksAtTheFlagAlone) {
  const auto cordoned = MakeNode(R"({"spec":{"unschedulable":true}})");
  const PodInfo plain = MakePod("{}");
  const Status refused = Filter("NodeUnschedulable", plain, *cordoned);
  EXPECT_EQ(refused.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(refused.Message(), "node(s) were unschedulable");
  const PodInfo tolerating =
      MakePod(Tolerating(R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists"})"));
  EXPECT_TRUE(Filter("NodeUnschedulable", tolerating, *cordoned).ok());
  const auto tainted = MakeNode(
      R"({"spec":{"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}})");
  EXPECT_TRUE(Filter("NodeUnschedulable", plain, *tainted).ok());
}

TEST_F(NodeFilters, TaintTolerationIgnoresPreferNoSchedule) {
  const auto node = [](const std::string& effect) {
    return MakeNode(R"({"spec":{"taints":[{"key":"k","value":"v","effect":")" + effect +
                    R"("}]}})");
  };
  const PodInfo plain = MakePod("{}");
  EXPECT_TRUE(Filter("TaintToleration", plain, *node("PreferNoSchedule")).ok());
  EXPECT_EQ(Filter("TaintToleration", plain, *node("NoSchedule")).Message(),
            "node(s) had untolerated taint(s)");
  EXPECT_FALSE(Filter("TaintToleration", plain, *node("NoExecute")).ok());
}

TEST_F(NodeFilters, TaintTolerationWithEveryFormOfToleration) {
  const auto node =
      MakeNode(R"({"spec":{"taints":[{"key":"k","value":"v","effect":"NoExecute"}]}})");
  const auto fits = [&](const std::string& toleration) {
    return Filter("TaintToleration", MakePod(Tolerating(toleration)), *node).ok();
  };
  EXPECT_FALSE(fits(R"({"operator":"Exists","effect":"NoSchedule"})"));
  EXPECT_TRUE(fits(R"({"operator":"Exists"})"));
  EXPECT_FALSE(fits(R"({"key":"k"})"));
  EXPECT_TRUE(fits(R"({"key":"k","value":"v"})"));
  EXPECT_TRUE(fits(R"({"key":"k","operator":"Exists"})"));
  EXPECT_FALSE(fits(R"({"key":"k","operator":"Lt","value":"v"})"));
}

std::string Affine(const std::string& terms) {
  return R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[)" +
         terms + "]}}}}}";
}

std::string NameIn(const std::string& names) {
  return R"({"matchFields":[{"key":"metadata.name","operator":"In","values":[)" + names + "]}]}";
}

TEST_F(NodeFilters, NodeAffinityComparesWholeNumbers) {
  const auto fits = [&](const std::string& op, const std::string& bound,
                        const std::string& labels) {
    const PodInfo pod = MakePod(Affine(R"({"matchExpressions":[{"key":"size","operator":")" + op +
                                       R"(","values":[")" + bound + R"("]}]})"));
    const auto node = MakeNode(R"({"metadata":{"labels":{)" + labels + "}}}");
    return Filter("NodeAffinity", pod, *node).ok();
  };
  EXPECT_TRUE(fits("Gt", "150", R"("size":"500")"));
  EXPECT_FALSE(fits("Gt", "150", R"("size":"150")"));
  EXPECT_FALSE(fits("Gt", "150", R"("size":"abc")"));
  EXPECT_FALSE(fits("Gt", "150", R"("size":"9223372036854775808")"));
  EXPECT_FALSE(fits("Gt", "150", ""));
  EXPECT_FALSE(fits("Gt", "150.1", R"("size":"500")"));
  EXPECT_TRUE(fits("Lt", "200", R"("size":"150")"));
}

TEST_F(NodeFilters, NodeAffinitySaysSo) {
  const auto node = MakeNode(R"({"metadata":{"name":"n1"}})");
  const Status refused =
      Filter("NodeAffinity", MakePod(R"({"spec":{"nodeSelector":{"a":"b"}}})"), *node);
  EXPECT_EQ(refused.Message(), "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(refused.code(), Code::kUnschedulableAndUnresolvable);
}

TEST_F(NodeFilters, NodeAffinityNarrowsTheNodesByName) {
  EXPECT_TRUE(PreFilter("NodeAffinity", MakePod("{}")).skip());
  EXPECT_TRUE(PreFilter("NodeAffinity", MakePod(R"({"spec":{"nodeSelector":{"a":"b"}}})")).ok());
  EXPECT_FALSE(result_.node_names);
  EXPECT_TRUE(
      PreFilter("NodeAffinity", MakePod(Affine(NameIn(R"("a")") + "," + NameIn(R"("b")")))).ok());
  EXPECT_THAT(result_.node_names, Optional(ElementsAre("a", "b")));
  const std::string anywhere = R"({"matchExpressions":[{"key":"x","operator":"Exists"}]})";
  EXPECT_TRUE(PreFilter("NodeAffinity", MakePod(Affine(NameIn(R"("a")") + "," + anywhere))).ok());
  EXPECT_FALSE(result_.node_names);
}

TEST_F(NodeFilters, NodeAffinityTermsOnDifferentNamesConflict) {
  const std::string both =
      R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]},
      {"key":"metadata.name","operator":"In","values":["b"]}]})";
  const Status conflict = PreFilter("NodeAffinity", MakePod(Affine(both)));
  EXPECT_EQ(conflict.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(conflict.Message(), "pod affinity terms conflict");
}

TEST_F(NodeFilters, NodeNameAllowsOneNode) {
  const PodInfo pod = MakePod(R"({"spec":{"nodeName":"n1"}})");
  EXPECT_TRUE(PreFilter("NodeName", pod).ok());
  EXPECT_THAT(result_.node_names, Optional(ElementsAre("n1")));
  EXPECT_TRUE(Filter("NodeName", pod, *MakeNode(R"({"metadata":{"name":"n1"}})")).ok());
  EXPECT_EQ(Filter("NodeName", pod, *MakeNode(R"({"metadata":{"name":"n2"}})")).Message(),
            "node(s) didn't match the requested node name");
}

TEST_F(NodeFilters, NodePortsRefusesTakenPorts) {
  const std::string pod =
      R"({"spec":{"containers":[{"ports":[{"hostPort":80},{"hostPort":80}]}]}})";
  const auto node = MakeNode("{}");
  EXPECT_TRUE(Filter("NodePorts", MakePod(pod), *node).ok());
  Place(*node, pod);
  const Status refused = Filter("NodePorts", MakePod(pod), *node);
  EXPECT_EQ(refused.code(), Code::kUnschedulable);
  EXPECT_EQ(refused.Message(), "node(s) didn't have free ports for the requested pod ports");
  EXPECT_TRUE(PreFilter("NodePorts", MakePod("{}")).skip());
  EXPECT_TRUE(PreFilter("NodePorts", MakePod(pod)).ok());
}

TEST_F(NodeFilters, SchedulingGatesHoldThePod) {
  const auto plugin = Make<PreEnqueuePlugin>("SchedulingGates");
  EXPECT_TRUE(plugin->PreEnqueue(*MakePod("{}").pod).ok());
  const Status held = plugin->PreEnqueue(
      *MakePod(R"({"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]}})").pod);
  EXPECT_EQ(held.Message(), "waiting for scheduling gates: [a b]");
  EXPECT_TRUE(held.rejected());
}

TEST_F(NodeFilters, PrioritySortPutsPriorityBeforeWaiting) {
  const auto queued = [](const std::string& spec, int second) {
    QueuedPodInfo info;
    info.pod = std::make_shared<const PodInfo>(MakePod(R"({"spec":)" + spec + "}"));
    info.queued_at = SteadyTime(std::chrono::seconds(second));
    return info;
  };
  const auto plugin = Make<QueueSortPlugin>("PrioritySort");
  const auto high = queued(R"({"priority":5})", 2);
  const auto early = queued("{}", 0);
  const auto late = queued(R"({"priority":0})", 1);
  EXPECT_TRUE(plugin->Less(high, early));
  EXPECT_FALSE(plugin->Less(early, high));
  EXPECT_TRUE(plugin->Less(early, late));
  EXPECT_FALSE(plugin->Less(early, early));
}

}  // namespace
}  // namespace leadline

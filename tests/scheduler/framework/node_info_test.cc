#include "leadline/framework/node_info.h"

#include <gtest/gtest.h>

#include "leadline/framework/status.h"

namespace leadline {
namespace {

std::shared_ptr<const Pod> MakePod(const std::string& json) {
  return std::make_shared<const Pod>(ParsePod(json).value());
}

std::shared_ptr<const PodInfo> MakePodInfo(const std::string& uid, const std::string& spec) {
  return std::make_shared<const PodInfo>(
      MakePod(R"({"metadata":{"uid":")" + uid + R"("},"spec":)" + spec + "}"));
}

std::shared_ptr<const Node> MakeNode(const std::string& name) {
  return std::make_shared<const Node>(
      ParseNode(R"({"metadata":{"name":")" + name +
                R"("},"status":{"allocatable":{"cpu":"4","pods":"3"}}})")
          .value());
}

Pod PodWithPort(const std::string& port) {
  return ParsePod(R"({"spec":{"containers":[{"ports":[)" + port + "]}]}}").value();
}

TEST(HostPortsTest, MeetOnProtocolPortAndAddress) {
  HostPorts ports;
  ports.Add(PodWithPort(R"({"hostPort":80,"hostIP":"10.0.0.1"})"));
  EXPECT_TRUE(ports.Conflicts(PodWithPort(R"({"hostPort":80})")));
  EXPECT_TRUE(
      ports.Conflicts(PodWithPort(R"({"hostPort":80,"hostIP":"10.0.0.1","protocol":"TCP"})")));
  EXPECT_FALSE(ports.Conflicts(PodWithPort(R"({"hostPort":80,"hostIP":"10.0.0.2"})")));
  EXPECT_FALSE(ports.Conflicts(PodWithPort(R"({"hostPort":80,"protocol":"UDP"})")));
  EXPECT_FALSE(ports.Conflicts(PodWithPort(R"({"hostPort":81})")));
  EXPECT_FALSE(ports.Conflicts(PodWithPort(R"({"hostPort":80,"hostIP":"::"})")));
  ports.Add(PodWithPort(R"({"hostPort":81})"));
  EXPECT_TRUE(ports.Conflicts(PodWithPort(R"({"hostPort":81,"hostIP":"::"})")));
}

TEST(HostPortsTest, OnlySidecarsOfInitContainersHoldPorts) {
  const auto init = [](const std::string& policy) {
    return ParsePod(R"({"spec":{"initContainers":[{"ports":[{"hostPort":80}])" + policy + "}]}}")
        .value();
  };
  HostPorts ports;
  ports.Add(init(""));
  EXPECT_TRUE(ports.empty());
  ports.Add(init(R"(,"restartPolicy":"Always")"));
  EXPECT_FALSE(ports.empty());
}

TEST(HostPortsTest, OneOfTwoHoldersMayLeave) {
  const Pod pod = PodWithPort(R"({"hostPort":80})");
  HostPorts ports;
  ports.Add(pod);
  ports.Add(pod);
  ports.Remove(pod);
  EXPECT_TRUE(ports.Conflicts(pod));
  ports.Remove(pod);
  EXPECT_TRUE(ports.empty());
}

TEST(NodeInfoTest, AddAndRemoveLeaveNothingBehind) {
  NodeInfo node(MakeNode("n1"));
  const auto pod = MakePodInfo("a", R"({"containers":[{"ports":[{"hostPort":1}],
      "resources":{"requests":{"cpu":"1","x.com/y":"2"}}}],
      "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}})");
  node.AddPod(pod);
  EXPECT_EQ(node.requested().milli_cpu, 1000);
  EXPECT_EQ(node.requested().Scalar("x.com/y"), 2);
  EXPECT_EQ(node.non_zero_requested().memory, 200 << 20);
  EXPECT_TRUE(node.has_required_anti_affinity());
  EXPECT_FALSE(node.RemovePod("b"));
  EXPECT_TRUE(node.RemovePod("a"));
  EXPECT_EQ(node.requested().milli_cpu, 0);
  EXPECT_EQ(node.requested().Scalar("x.com/y"), 0);
  EXPECT_EQ(node.non_zero_requested().memory, 0);
  EXPECT_FALSE(node.has_required_anti_affinity());
  EXPECT_TRUE(node.ports().empty());
  EXPECT_TRUE(node.pods().empty());
}

TEST(StatusTest, JoinsItsReasons) {
  const Status status(Status::Code::kUnschedulable, std::vector<std::string>{"a", "b"});
  EXPECT_EQ(status.Message(), "a, b");
  EXPECT_TRUE(status.rejected());
  EXPECT_EQ(StatusCodeName(status.code()), "Unschedulable");
}

TEST(NodeInfoTest, KnowsThePodsWithStorage) {
  NodeInfo node(MakeNode("n"));
  node.AddPod(MakePodInfo("plain", R"({"volumes":[{"name":"a","emptyDir":{}},{"name":"b"},
      {"name":"c","projected":{}},{"name":"d","csi":{}}]})"));
  EXPECT_TRUE(node.storage_pods().empty());
  node.AddPod(MakePodInfo("two", R"({"volumes":[{"name":"a","emptyDir":{}},
      {"name":"b","persistentVolumeClaim":{"claimName":"c"}},{"name":"c","rbd":{}}]})"));
  node.AddPod(MakePodInfo("one", R"({"volumes":[{"name":"a","ephemeral":{}}]})"));
  ASSERT_EQ(node.storage_pods().size(), 2u);
  EXPECT_EQ(node.storage_volumes(), 3u);
  EXPECT_TRUE(node.RemovePod("two"));
  EXPECT_TRUE(node.RemovePod("plain"));
  ASSERT_EQ(node.storage_pods().size(), 1u);
  EXPECT_EQ(node.storage_pods()[0]->uid(), "one");
  EXPECT_EQ(node.storage_volumes(), 1u);
}

}  // namespace
}  // namespace leadline

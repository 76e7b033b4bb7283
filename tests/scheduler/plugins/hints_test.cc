// Queueing hints of the plugins that judge a node by itself.
#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

class HintsTest : public WorldFixture {
 protected:
  static std::shared_ptr<const Node> NodeFrom(const std::string& json) {
    return std::make_shared<const Node>(ParseNode(json).value());
  }
  // Whether the change from `old` (null: it is new) to `now` wakes the Pod.
  bool Wakes(const std::string& plugin, const std::string& pod, std::shared_ptr<const Node> old,
             std::shared_ptr<const Node> now) {
    const auto event = old ? ClusterEvent::kNodeLabelUpdate : ClusterEvent::kNodeAdd;
    return Make<EnqueueExtensions>(plugin)->Helps(ParsePod(pod).value(),
                                                  {event, {}, {}, std::move(old), std::move(now)});
  }
};

TEST_F(HintsTest, ANodeThatBecameSuitableHelpsAndOneThatWasDoesNot) {
  struct Case {
    const char* plugin;
    std::string pod;
    const char* bad;
    const char* good;
  };
  const Case cases[] = {
      {"NodeUnschedulable", PodJson(""), R"({"spec":{"unschedulable":true}})", "{}"},
      {"TaintToleration", PodJson(""), R"({"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})",
       R"({"spec":{"taints":[{"key":"k","effect":"PreferNoSchedule"}]}})"},
      {"NodeAffinity", PodJson("", R"("nodeSelector":{"disk":"ssd"})"), "{}",
       R"({"metadata":{"labels":{"disk":"ssd"}}})"},
      {"NodeResourcesFit", PodJson("", R"("containers":[{"resources":{"requests":{"cpu":"2"}}}])"),
       R"({"status":{"allocatable":{"cpu":"1","pods":"9"}}})",
       R"({"status":{"allocatable":{"cpu":"2","pods":"9"}}})"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.plugin);
    const auto bad = NodeFrom(one.bad), good = NodeFrom(one.good);
    EXPECT_TRUE(Wakes(one.plugin, one.pod, nullptr, good));
    EXPECT_FALSE(Wakes(one.plugin, one.pod, nullptr, bad));
    EXPECT_TRUE(Wakes(one.plugin, one.pod, bad, good));
    EXPECT_FALSE(Wakes(one.plugin, one.pod, good, good));
    EXPECT_FALSE(Wakes(one.plugin, one.pod, good, bad));
  }
}

TEST_F(HintsTest, OnlyMoreOfWhatThePodWantsHelps) {
  const std::string pod = PodJson("", R"("containers":[{"resources":{"requests":{"cpu":"2"}}}])");
  const auto node = [](const std::string& allocatable) {
    return NodeFrom(R"({"status":{"allocatable":{"cpu":"4","pods":"9",)" + allocatable + "}}}");
  };
  EXPECT_FALSE(Wakes("NodeResourcesFit", pod, node(R"("memory":"1")"), node(R"("memory":"2")")));
  EXPECT_TRUE(Wakes("NodeResourcesFit", pod, node(R"("cpu":"3")"), node(R"("cpu":"4")")));
  EXPECT_TRUE(Wakes("NodeResourcesFit", pod, node(R"("pods":"1")"), node(R"("pods":"2")")));
}

TEST_F(HintsTest, APodThatGoesFreesItsOwnPorts) {
  const auto with_port = [](int port) {
    return PodJson("", R"("containers":[{"ports":[{"hostPort":)" + std::to_string(port) + "}]}]");
  };
  const auto plugin = Make<EnqueueExtensions>("NodePorts");
  const auto gone = std::make_shared<const Pod>(ParsePod(with_port(80)).value());
  const ClusterChange change = {ClusterEvent::kAssignedPodDelete, gone, gone, {}, {}};
  EXPECT_TRUE(plugin->Helps(ParsePod(with_port(80)).value(), change));
  EXPECT_FALSE(plugin->Helps(ParsePod(with_port(81)).value(), change));
}

}  // namespace
}  // namespace leadline

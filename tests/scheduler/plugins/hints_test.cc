// Queueing hints of the plugins that judge a node by itself, and of all for the Pod itself.
#include <gmock/gmock.h>
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
  bool WakesPod(const std::string& plugin, ClusterEvent event, const std::string& waiting,
                const std::string& old, const std::string& now) {
    ClusterChange change{event};
    change.old_pod = MakePod(old).pod;
    change.pod = MakePod(now).pod;
    return Make<EnqueueExtensions>(plugin)->Helps(*MakePod(waiting).pod, change);
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
  const auto event = ClusterEvent::kAssignedPodDelete;
  EXPECT_TRUE(WakesPod("NodePorts", event, with_port(80), with_port(80), with_port(80)));
  EXPECT_FALSE(WakesPod("NodePorts", event, with_port(81), with_port(80), with_port(80)));
}

std::string Asks(const std::string& resource, const std::string& amount) {
  return R"("containers":[{"resources":{"requests":{")" + resource + R"(":")" + amount + R"("}}}])";
}

TEST_F(HintsTest, APodThatHoldsLessOfWhatIsWantedHelps) {
  const std::string waiting = PodJson("", Asks("cpu", "2"));
  const auto on_node = [](const std::string& spec) {
    return PodJson("", spec + R"(,"nodeName":"n")");
  };
  const auto wakes = [&](const std::string& old, const std::string& now) {
    return WakesPod("NodeResourcesFit", ClusterEvent::kAssignedPodUpdate, waiting, old, now);
  };
  EXPECT_TRUE(wakes(on_node(Asks("cpu", "3")), on_node(Asks("cpu", "1"))));
  EXPECT_FALSE(wakes(on_node(Asks("cpu", "1")), on_node(Asks("cpu", "3"))));
  EXPECT_FALSE(wakes(on_node(Asks("cpu", "1")), on_node(Asks("cpu", "1"))));
  EXPECT_FALSE(wakes(on_node(Asks("memory", "3")), on_node(Asks("memory", "1"))));
  EXPECT_TRUE(WakesPod("NodeResourcesFit", ClusterEvent::kAssignedPodDelete, waiting,
                       on_node(Asks("memory", "3")), on_node(Asks("memory", "3"))));
}

TEST_F(HintsTest, AResizeThatTheNodeHasNotMadeDoesNotHelp) {
  // The specification shrank, the amounts in force have not.
  const auto holding = [](const std::string& wanted, const std::string& in_force) {
    std::string json = PodJson("", R"("nodeName":"n","containers":[{"name":"c","resources":)"
                                   R"({"requests":{"cpu":")" +
                                       wanted + R"("}}}])");
    json.pop_back();
    return json + R"(,"status":{"containerStatuses":[{"name":"c","allocatedResources":{"cpu":")" +
           in_force + R"("},"resources":{"requests":{"cpu":")" + in_force + R"("}}}]}})";
  };
  const std::string waiting = PodJson("", Asks("cpu", "2"));
  const auto event = ClusterEvent::kAssignedPodUpdate;
  EXPECT_FALSE(WakesPod("NodeResourcesFit", event, waiting, holding("3", "3"), holding("1", "3")));
  EXPECT_TRUE(WakesPod("NodeResourcesFit", event, waiting, holding("1", "3"), holding("1", "1")));
}

TEST_F(HintsTest, AChangeOfThePodItselfHelpsThePluginThatReadsIt) {
  const std::string plain = PodJson("", "");
  const std::string labelled = PodJson(R"("a":"b")", "");
  const std::string ssd = PodJson("", R"("tolerations":[{"key":"ssd","operator":"Exists"}])");
  const std::string all = PodJson("", R"("tolerations":[{"operator":"Exists"}])");
  const std::string small = PodJson("", Asks("cpu", "1")), large = PodJson("", Asks("cpu", "2"));
  const std::string gated = PodJson("", R"("schedulingGates":[{"name":"a"}])");
  struct Case {
    const char* plugin;
    std::string old, now;
    bool wakes;
  };
  const Case cases[] = {
      {"TaintToleration", plain, ssd, true},
      {"TaintToleration", plain, labelled, false},
      {"NodeUnschedulable", plain, all, true},
      {"NodeUnschedulable", plain, ssd, false},
      {"NodeUnschedulable", all, all, false},
      {"NodeResourcesFit", large, small, true},
      {"NodeResourcesFit", small, large, false},
      {"NodeResourcesFit", large, large, false},
      {"InterPodAffinity", plain, labelled, true},
      {"InterPodAffinity", plain, ssd, false},
      {"PodTopologySpread", plain, labelled, true},
      {"PodTopologySpread", plain, ssd, true},
      {"PodTopologySpread", small, large, false},
      {"SchedulingGates", gated, plain, true},
      {"SchedulingGates", gated, gated, false},
      {"NodeDeclaredFeatures", plain, labelled, false},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(WakesPod(one.plugin, ClusterEvent::kUnscheduledPodUpdate, one.now, one.old, one.now),
              one.wakes)
        << one.plugin << ": " << one.old << " -> " << one.now;
  }
}

TEST_F(HintsTest, WhatCannotChangeIsNotWaitedFor) {
  for (const char* plugin : {"NodeAffinity", "NodePorts", "NodeName"}) {
    EXPECT_THAT(Make<EnqueueExtensions>(plugin)->EventsToRegister(),
                testing::Not(testing::Contains(ClusterEvent::kUnscheduledPodUpdate)))
        << plugin;
  }
}

}  // namespace
}  // namespace leadline

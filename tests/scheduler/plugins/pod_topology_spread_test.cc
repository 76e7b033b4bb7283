#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kName = "PodTopologySpread";
constexpr const char* kSkew = "node(s) didn't match pod topology spread constraints";
constexpr const char* kNoLabel =
    "node(s) didn't match pod topology spread constraints (missing required label)";

std::string Constraint(const std::string& key, int max_skew, const std::string& more = "",
                       const std::string& action = "DoNotSchedule") {
  return R"({"maxSkew":)" + std::to_string(max_skew) + R"(,"topologyKey":")" + key +
         R"(","whenUnsatisfiable":")" + action +
         R"(","labelSelector":{"matchLabels":{"app":"web"}})" + more + "}";
}
std::string Spread(const std::string& constraints) {
  return R"("topologySpreadConstraints":[)" + constraints + "]";
}

class PodTopologySpreadTest : public WorldFixture {
 protected:
  PodTopologySpreadTest() {
    for (const char* zone : {"a", "b", "c"}) {
      AddNode(std::string(zone) + "1",
              R"("zone":")" + std::string(zone) + R"(","host":")" + zone + "1\"");
    }
  }
  void Web(const std::string& node, int count, const std::string& more = "") {
    for (int i = 0; i < count; ++i) PlacePod(node, PodJson(R"("app":"web")", "", "d", more));
  }
  std::string WebFeasible(const std::string& constraints, const std::string& spec = "") {
    return Feasible(kName, PodJson(R"("app":"web")", Spread(constraints) + spec));
  }
};

TEST_F(PodTopologySpreadTest, KeepsTheSkewWithinItsBound) {
  Web("a1", 2);
  Web("b1", 1);
  EXPECT_EQ(WebFeasible(Constraint("zone", 1)), "c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 2)), "b1 c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 3)), "a1 b1 c1");
  EXPECT_THAT(Verdicts(kName, PodJson(R"("app":"web")", Spread(Constraint("zone", 1)))),
              ElementsAre(Pair("a1", kSkew), Pair("b1", kSkew), Pair("c1", "")));
}

TEST_F(PodTopologySpreadTest, APodThatIsNotSpreadItselfAddsNothing) {
  Web("a1", 2);
  Web("b1", 1);
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"x")", Spread(Constraint("zone", 1)))), "b1 c1");
}

TEST_F(PodTopologySpreadTest, NodesWithoutTheLabelAreOut) {
  AddNode("bare", R"("host":"bare")");
  Web("bare", 3);
  EXPECT_THAT(Verdicts(kName, PodJson(R"("app":"web")", Spread(Constraint("zone", 1)))),
              ElementsAre(Pair("a1", ""), Pair("b1", ""), Pair("bare", kNoLabel), Pair("c1", "")));
}

TEST_F(PodTopologySpreadTest, SeveralConstraintsHoldAtOnce) {
  AddNode("a2", R"("zone":"a","host":"a2")");
  Web("a1", 1);
  Web("b1", 1);
  Web("c1", 1);
  EXPECT_EQ(WebFeasible(Constraint("zone", 1)), "a1 a2 b1 c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1) + "," + Constraint("host", 1)), "a2");
  // A node counts for one constraint only with the keys of all.
  AddNode("d1", R"("zone":"d")");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1)), "d1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1) + "," + Constraint("host", 2)), "a1 a2 b1 c1");
}

TEST_F(PodTopologySpreadTest, C17AClosedZoneCountsUnlessTaintsAreHonoured) {
  AddNode("c1", R"("zone":"c","host":"c1")", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  AddNode("bare", R"("host":"bare")");
  Web("a1", 1);
  Web("b1", 1);
  Web("bare", 3);
  // c1 passes here; it is TaintToleration that keeps the Pod off it.
  EXPECT_EQ(WebFeasible(Constraint("zone", 1)), "c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1, R"(,"nodeTaintsPolicy":"Honor")")), "a1 b1 c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1, R"(,"nodeTaintsPolicy":"Honor")"),
                        R"(,"tolerations":[{"key":"k","operator":"Exists"}])"),
            "c1");
  const std::string only_ab = R"(,"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":
      [{"key":"zone","operator":"In","values":["a","b"]}]}]}}})";
  EXPECT_EQ(WebFeasible(Constraint("zone", 1), only_ab), "a1 b1 c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1, R"(,"nodeAffinityPolicy":"Ignore")"), only_ab), "c1");
}

TEST_F(PodTopologySpreadTest, TooFewDomainsMakeTheMinimumZero) {
  Web("a1", 1);
  Web("b1", 1);
  Web("c1", 1);
  EXPECT_EQ(WebFeasible(Constraint("zone", 1, R"(,"minDomains":3)")), "a1 b1 c1");
  EXPECT_EQ(WebFeasible(Constraint("zone", 1, R"(,"minDomains":4)")), "");
  EXPECT_EQ(WebFeasible(Constraint("zone", 2, R"(,"minDomains":4)")), "a1 b1 c1");
}

TEST_F(PodTopologySpreadTest, OnlyLivingPodsOfTheNamespaceCount) {
  Web("a1", 1, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  PlacePod("a1", PodJson(R"("app":"web")", "", "elsewhere"));
  EXPECT_EQ(WebFeasible(Constraint("zone", 1)), "a1 b1 c1");
}

TEST_F(PodTopologySpreadTest, NoSelectorCountsNobodyAndTheEmptyOneThePodAlone) {
  Web("a1", 5);
  const std::string nil =
      R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule"})";
  const std::string empty =
      R"({"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}})";
  EXPECT_EQ(WebFeasible(nil), "a1 b1 c1");
  EXPECT_EQ(WebFeasible(empty), "a1 b1 c1");
}

TEST_F(PodTopologySpreadTest, MatchLabelKeysNarrowToThePodsOwnValues) {
  const auto labels = [](const char* hash) {
    return R"("app":"web","hash":")" + std::string(hash) + "\"";
  };
  PlacePod("a1", PodJson(labels("old")));
  PlacePod("b1", PodJson(labels("new")));
  const std::string keys = R"(,"matchLabelKeys":["hash","absent"])";
  EXPECT_EQ(Feasible(kName, PodJson(labels("new"), Spread(Constraint("zone", 1, keys)))), "a1 c1");
}

TEST_F(PodTopologySpreadTest, ScoresTheEmptierDomainHigher) {
  Web("a1", 4);
  Web("b1", 1);
  const std::string soft = Spread(Constraint("zone", 1, "", "ScheduleAnyway"));
  const auto scores = Scores(kName, PodJson(R"("app":"web")", soft));
  // Counts 4, 1, 0 times ln 5, rounded: 6, 2, 0.
  EXPECT_THAT(scores, ElementsAre(Pair("a1", 0), Pair("b1", 66), Pair("c1", 100)));
  EXPECT_TRUE(Scores(kName, PodJson(R"("app":"web")", Spread(Constraint("zone", 1)))).empty());
}

TEST_F(PodTopologySpreadTest, NodesWithoutTheLabelScoreNothing) {
  AddNode("bare", R"("host":"bare")");
  Web("a1", 1);
  const std::string soft = Spread(Constraint("zone", 1, "", "ScheduleAnyway"));
  EXPECT_THAT(Scores(kName, PodJson(R"("app":"web")", soft)),
              ElementsAre(Pair("a1", 0), Pair("b1", 100), Pair("bare", 0), Pair("c1", 100)));
}

TEST_F(PodTopologySpreadTest, TheSystemSpreadsPodsOfOneOwner) {
  AddNode("a1", R"("topology.kubernetes.io/zone":"a","kubernetes.io/hostname":"a1")");
  AddNode("b1", R"("topology.kubernetes.io/zone":"b","kubernetes.io/hostname":"b1")");
  AddNode("c1", R"("kubernetes.io/hostname":"c1")");
  Web("a1", 3);
  const std::string web = PodJson(R"("app":"web")");
  EXPECT_TRUE(Scores(kName, web).empty());  // belongs to nobody
  const auto put = [&](Store<Workload>& store, const Result<Workload>& workload) {
    store.Put(std::make_shared<const Workload>(*workload));
  };
  put(listers_.services, ParseMapSelected(R"({"metadata":{"name":"s","namespace":"d"},
      "spec":{"selector":{"app":"web"}}})"));
  // By host 3, 0, 0 times ln 5 and 2 each; by zone 3, 0 times ln 5 and 4 each, and nothing for c1
  // without a zone: 16, 6 and 2.
  EXPECT_THAT(Scores(kName, web), ElementsAre(Pair("a1", 12), Pair("b1", 75), Pair("c1", 100)));
}

TEST_F(PodTopologySpreadTest, OwnersSelectorsCountToo) {
  AddNode("a1", R"("kubernetes.io/hostname":"a1")");
  AddNode("b1", R"("kubernetes.io/hostname":"b1")");
  nodes_.erase("c1");
  PlacePod("a1", PodJson(R"("rs":"1")"));
  const std::string owned =
      R"(,"ownerReferences":[{"kind":"ReplicaSet","name":"r","uid":"u","controller":true}])";
  const std::string pod = PodJson(R"("rs":"1")", "", "d", owned);
  EXPECT_TRUE(Scores(kName, pod).empty());
  listers_.replica_sets.Put(std::make_shared<const Workload>(*ParseLabelSelected(
      R"({"metadata":{"name":"r","namespace":"d"},
          "spec":{"selector":{"matchExpressions":[{"key":"rs","operator":"Exists"}]}}})")));
  const auto scores = Scores(kName, pod);
  EXPECT_LT(scores.at("a1"), scores.at("b1"));
}

TEST_F(PodTopologySpreadTest, DefaultConstraintsOfTheProfile) {
  Web("a1", 1);
  listers_.services.Put(std::make_shared<const Workload>(*ParseMapSelected(
      R"({"metadata":{"name":"s","namespace":"d"},"spec":{"selector":{"app":"web"}}})")));
  const std::string args =
      "{defaultingType: List, defaultConstraints: "
      "[{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}";
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"web")"), args), "b1 c1");
}

TEST_F(PodTopologySpreadTest, DefaultConstraintsHaveTheOtherFieldsToo) {
  Web("a1", 1);
  Web("b1", 1);
  Web("c1", 1);
  AddNode("t1", R"("zone":"t","host":"t1")", R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  listers_.services.Put(std::make_shared<const Workload>(*ParseMapSelected(
      R"({"metadata":{"name":"s","namespace":"d"},"spec":{"selector":{"app":"web"}}})")));
  const auto feasible = [&](const std::string& more) {
    return Feasible(kName, PodJson(R"("app":"web")"),
                    "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, "
                    "whenUnsatisfiable: DoNotSchedule" +
                        more + "}]}");
  };
  EXPECT_EQ(feasible(""), "t1");
  EXPECT_EQ(feasible(", nodeTaintsPolicy: Honor"), "a1 b1 c1 t1");
  EXPECT_EQ(feasible(", nodeTaintsPolicy: Honor, minDomains: 4"), "t1");
  EXPECT_EQ(feasible(", nodeAffinityPolicy: Ignore, matchLabelKeys: [absent]"), "t1");
}

// kube-scheduler takes these away as well, though it never counted them, and then lets the Pod go
// where the skew is too great.
TEST_F(PodTopologySpreadTest, TakesAwayOnlyWhatCounts) {
  Web("a1", 1);
  const PodInfo ending =
      MakePod(PodJson(R"("app":"web")", "", "d", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
  const auto plugin = Make<Plugin>(kName);
  auto& pre_filter = dynamic_cast<PreFilterPlugin&>(*plugin);
  const PodInfo pod = MakePod(PodJson(R"("app":"web")", Spread(Constraint("zone", 1))));
  const Snapshot snapshot = TakeSnapshot();
  CycleState state("decision", snapshot, 0);
  ASSERT_TRUE(pre_filter.PreFilter(state, pod, &result_).ok());
  const auto fits = [&](CycleState& cycle) {
    return dynamic_cast<FilterPlugin&>(*plugin).Filter(cycle, pod, *snapshot.Find("a1")).ok();
  };
  CycleState changed = state;
  pre_filter.RemovePod(changed, pod, ending, *snapshot.Find("a1"));
  EXPECT_FALSE(fits(changed));
  pre_filter.RemovePod(changed, pod, *nodes_.at("a1")->pods()[0], *snapshot.Find("a1"));
  EXPECT_TRUE(fits(changed));
  EXPECT_FALSE(fits(state));  // the copy was changed, not this
}

TEST_F(PodTopologySpreadTest, MistakesInTheArgumentsAreTold) {
  const auto mistake = [&](const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    BuiltInPlugins(listers_)[kName](document.root().Get("args"), &document).value();
    const auto checked = document.Check();
    return checked ? std::string() : std::string(checked.error().message());
  };
  const std::string one = "{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}";
  EXPECT_EQ(mistake("{defaultingType: List, defaultConstraints: [" + one + "]}"), "");
  EXPECT_THAT(mistake("{defaultConstraints: [" + one + "]}"), HasSubstr("List"));
  EXPECT_THAT(mistake("{defaultingType: Some}"), HasSubstr("System or List"));
  EXPECT_THAT(mistake("{defaultingType: List, defaultConstraints: [" + one + ", " + one + "]}"),
              HasSubstr("another constraint"));
  EXPECT_THAT(mistake("{defaultingType: List, defaultConstraints: [{maxSkew: 0, topologyKey: z, "
                      "whenUnsatisfiable: DoNotSchedule}]}"),
              HasSubstr("maxSkew"));
  EXPECT_THAT(mistake("{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, "
                      "whenUnsatisfiable: Never}]}"),
              HasSubstr("ScheduleAnyway"));
  EXPECT_THAT(mistake("{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: z, "
                      "whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Never}]}"),
              HasSubstr("Honor or Ignore"));
}

TEST_F(PodTopologySpreadTest, WakesForWhatCouldHelp) {
  const auto plugin = Make<EnqueueExtensions>(kName);
  const auto pod = [](const std::string& json) {
    return std::make_shared<const Pod>(ParsePod(json).value());
  };
  const auto waiting = pod(PodJson(R"("app":"web")", Spread(Constraint("zone", 1))));
  const auto web = pod(PodJson(R"("app":"web")")), other = pod(PodJson(R"("app":"x")"));
  const auto far = pod(PodJson(R"("app":"web")", "", "e"));
  const auto ends =
      pod(PodJson(R"("app":"web")", "", "d", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
  const auto helps = [&](ClusterEvent event, std::shared_ptr<const Pod> old,
                         std::shared_ptr<const Pod> now) {
    return plugin->Helps(*waiting, {event, std::move(old), std::move(now), {}, {}});
  };
  EXPECT_TRUE(helps(ClusterEvent::kAssignedPodDelete, web, web));
  EXPECT_TRUE(helps(ClusterEvent::kAssignedPodAdd, nullptr, web));  // raises the minimum
  EXPECT_FALSE(helps(ClusterEvent::kAssignedPodAdd, nullptr, other));
  EXPECT_FALSE(helps(ClusterEvent::kAssignedPodDelete, far, far));
  EXPECT_TRUE(helps(ClusterEvent::kAssignedPodUpdate, web, other));
  EXPECT_TRUE(helps(ClusterEvent::kAssignedPodUpdate, web, ends));
  EXPECT_FALSE(helps(ClusterEvent::kAssignedPodUpdate, web, web));
  AddNode("bare", R"("host":"bare")");
  const auto node = [&](const char* name) { return nodes_.at(name)->shared_node(); };
  EXPECT_TRUE(plugin->Helps(*waiting, {ClusterEvent::kNodeAdd, {}, {}, {}, node("a1")}));
  EXPECT_FALSE(plugin->Helps(*waiting, {ClusterEvent::kNodeAdd, {}, {}, {}, node("bare")}));
  EXPECT_TRUE(
      plugin->Helps(*waiting, {ClusterEvent::kNodeLabelUpdate, {}, {}, node("a1"), node("bare")}));
  EXPECT_TRUE(plugin->Helps(*waiting, {ClusterEvent::kNodeDelete, {}, {}, node("a1"), node("a1")}));
}

}  // namespace
}  // namespace leadline

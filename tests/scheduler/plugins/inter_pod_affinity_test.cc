#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kName = "InterPodAffinity";
constexpr const char* kNear = "node(s) didn't match pod affinity rules";
constexpr const char* kFar = "node(s) didn't match pod anti-affinity rules";
constexpr const char* kTheirs = "node(s) didn't satisfy existing pods anti-affinity rules";

std::string Term(const std::string& label, const std::string& value, const std::string& key,
                 const std::string& more = "") {
  return R"({"labelSelector":{"matchLabels":{")" + label + R"(":")" + value +
         R"("}},"topologyKey":")" + key + "\"" + more + "}";
}
std::string Required(const std::string& kind, const std::string& terms) {
  return "\"" + kind + R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + terms + "]}";
}
std::string Near(const std::string& terms) {
  return R"("affinity":{)" + Required("podAffinity", terms) + "}";
}
std::string Far(const std::string& terms) {
  return R"("affinity":{)" + Required("podAntiAffinity", terms) + "}";
}
std::string Preferred(const std::string& kind, int weight, const std::string& term) {
  return R"("affinity":{")" + kind +
         R"(":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":)" +
         std::to_string(weight) + R"(,"podAffinityTerm":)" + term + "}]}}";
}

class InterPodAffinityTest : public WorldFixture {
 protected:
  InterPodAffinityTest() {
    AddNode("a1", R"("zone":"a","host":"a1")");
    AddNode("a2", R"("zone":"a","host":"a2")");
    AddNode("b1", R"("zone":"b","host":"b1")");
    AddNode("none", R"("host":"none")");
  }
};

TEST_F(InterPodAffinityTest, HasNothingToSayAboutPodsOnTheirOwn) {
  PlacePod("a1", PodJson(R"("app":"db")"));
  const auto plugin = Make<PreFilterPlugin>(kName);
  const Snapshot snapshot = TakeSnapshot();
  CycleState state("decision", snapshot, 0);
  EXPECT_TRUE(plugin->PreFilter(state, MakePod(PodJson(R"("app":"web")")), &result_).skip());
}

TEST_F(InterPodAffinityTest, FollowsIntoTheDomain) {
  PlacePod("a1", PodJson(R"("app":"db")"));
  EXPECT_THAT(Verdicts(kName, PodJson("", Near(Term("app", "db", "zone")))),
              ElementsAre(Pair("a1", ""), Pair("a2", ""), Pair("b1", kNear), Pair("none", kNear)));
  EXPECT_EQ(Feasible(kName, PodJson("", Near(Term("app", "db", "host")))), "a1");
  EXPECT_EQ(Feasible(kName, PodJson("", Near(Term("app", "other", "zone")))), "");
}

TEST_F(InterPodAffinityTest, AllTermsHoldAtOnceByPodsThatMatchAll) {
  PlacePod("a1", PodJson(R"("x":"1","y":"1")"));
  PlacePod("b1", PodJson(R"("x":"1")"));
  const std::string both = Term("x", "1", "zone") + "," + Term("y", "1", "zone");
  EXPECT_EQ(Feasible(kName, PodJson("", Near(both))), "a1 a2");
  // Each term's domain may have been marked by another Pod.
  PlacePod("b1", PodJson(R"("x":"1","y":"1")"));
  EXPECT_EQ(
      Feasible(kName, PodJson("", Near(Term("x", "1", "zone") + "," + Term("y", "1", "host")))),
      "a1 b1");
}

TEST_F(InterPodAffinityTest, C15TheFirstOfAGroupStartsIt) {
  const std::string two = Near(Term("app", "web", "zone") + "," + Term("tier", "fe", "zone"));
  const std::string self = R"("app":"web","tier":"fe")";
  EXPECT_EQ(Feasible(kName, PodJson(self, two)), "a1 a2 b1");  // but not where the key is missing
  PlacePod("a1", PodJson(R"("app":"web")"));                   // matches one term, so nobody yet
  EXPECT_EQ(Feasible(kName, PodJson(self, two)), "a1 a2 b1");
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"web")", two)), "");  // does not match itself
  PlacePod("b1", PodJson(self));
  EXPECT_EQ(Feasible(kName, PodJson(self, two)), "b1");
  nodes_.erase("b1");
  PlacePod("none", PodJson(self));  // a Pod outside all domains starts nothing
  EXPECT_EQ(Feasible(kName, PodJson(self, two)), "a1 a2");
}

TEST_F(InterPodAffinityTest, TheFirstOfAGroupMustBeInItsOwnNamespaces) {
  const std::string term = Term("app", "web", "zone", R"(,"namespaces":["other"])");
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"web")", Near(term))), "");
}

TEST_F(InterPodAffinityTest, KeepsAway) {
  PlacePod("a1", PodJson(R"("app":"web")"));
  EXPECT_THAT(Verdicts(kName, PodJson("", Far(Term("app", "web", "zone")))),
              ElementsAre(Pair("a1", kFar), Pair("a2", kFar), Pair("b1", ""), Pair("none", "")));
  EXPECT_EQ(Feasible(kName, PodJson("", Far(Term("app", "web", "host")))), "a2 b1 none");
}

TEST_F(InterPodAffinityTest, C15OneBrokenAntiAffinityTermIsEnough) {
  PlacePod("a1", PodJson(R"("a":"1")"));
  EXPECT_EQ(
      Feasible(kName, PodJson("", Far(Term("a", "1", "zone") + "," + Term("b", "1", "zone")))),
      "b1 none");
}

TEST_F(InterPodAffinityTest, ExistingPodsKeepOthersAway) {
  PlacePod("a1", PodJson(R"("app":"db")", Far(Term("app", "web", "zone"))));
  EXPECT_THAT(
      Verdicts(kName, PodJson(R"("app":"web")")),
      ElementsAre(Pair("a1", kTheirs), Pair("a2", kTheirs), Pair("b1", ""), Pair("none", "")));
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"cache")")), "a1 a2 b1 none");
  // Terminating ones as well.
  PlacePod("b1", PodJson("", Far(Term("app", "web", "host")), "d",
                         R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_EQ(Feasible(kName, PodJson(R"("app":"web")")), "none");
}

TEST_F(InterPodAffinityTest, OwnReasonsComeFirst) {
  PlacePod("a1", PodJson(R"("app":"db")", Far(Term("app", "web", "zone"))));
  EXPECT_THAT(Verdicts(kName, PodJson(R"("app":"web")", Far(Term("app", "db", "zone")))),
              Contains(Pair("a1", kFar)));
  const std::string both = R"("affinity":{)" + Required("podAffinity", Term("x", "1", "zone")) +
                           "," + Required("podAntiAffinity", Term("app", "db", "zone")) + "}";
  EXPECT_THAT(Verdicts(kName, PodJson(R"("app":"web")", both)), Contains(Pair("a1", kNear)));
}

TEST_F(InterPodAffinityTest, Namespaces) {
  AddNamespace("d", R"("team":"x")");
  AddNamespace("e", R"("team":"y")");
  PlacePod("a1", PodJson(R"("app":"db")", "", "e"));
  const auto feasible = [&](const std::string& more) {
    return Feasible(kName, PodJson("", Far(Term("app", "db", "host", more))));
  };
  const std::string all = "a1 a2 b1 none", others = "a2 b1 none";
  EXPECT_EQ(feasible(""), all);  // its own alone
  EXPECT_EQ(feasible(R"(,"namespaces":["e"])"), others);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{})"), others);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{"matchLabels":{"team":"y"}})"), others);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{"matchLabels":{"team":"z"}})"), all);
  EXPECT_EQ(feasible(R"(,"namespaces":["e"],"namespaceSelector":{"matchLabels":{"team":"x"}})"),
            others);
}

TEST_F(InterPodAffinityTest, NamespacesOfExistingPodsTerms) {
  AddNamespace("e", R"("team":"y")");
  const auto feasible = [&](const std::string& more) {
    AddNode("a1", R"("zone":"a","host":"a1")");
    PlacePod("a1", PodJson("", Far(Term("app", "web", "host", more))));
    return Feasible(kName, PodJson(R"("app":"web")", "", "e"));
  };
  const std::string all = "a1 a2 b1 none", others = "a2 b1 none";
  EXPECT_EQ(feasible(""), all);
  EXPECT_EQ(feasible(R"(,"namespaces":["e"])"), others);
  EXPECT_EQ(feasible(R"(,"namespaces":["f"])"), all);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{})"), others);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{"matchLabels":{"team":"y"}})"), others);
  EXPECT_EQ(feasible(R"(,"namespaceSelector":{"matchLabels":{"team":"z"}})"), all);
}

TEST_F(InterPodAffinityTest, NoSelectorMatchesNobodyAndTheEmptyOneAll) {
  PlacePod("a1", PodJson(R"("app":"db")"));
  EXPECT_EQ(Feasible(kName, PodJson("", Far(R"({"topologyKey":"host"})"))), "a1 a2 b1 none");
  EXPECT_EQ(Feasible(kName, PodJson("", Far(R"({"labelSelector":{},"topologyKey":"host"})"))),
            "a2 b1 none");
}

TEST_F(InterPodAffinityTest, AffinityCannotBeHelpedByEvictingAndAntiAffinityCan) {
  PlacePod("a1", PodJson(R"("app":"db")"));
  const auto code = [&](const std::string& spec) {
    const auto plugin = Make<Plugin>(kName);
    const Snapshot snapshot = TakeSnapshot();
    CycleState state("decision", snapshot, 0);
    const PodInfo pod = MakePod(PodJson("", spec));
    EXPECT_TRUE(dynamic_cast<PreFilterPlugin&>(*plugin).PreFilter(state, pod, &result_).ok());
    return dynamic_cast<FilterPlugin&>(*plugin)
        .Filter(state, pod, *snapshot.Find(spec.find("Anti") == spec.npos ? "b1" : "a1"))
        .code();
  };
  EXPECT_EQ(code(Near(Term("app", "db", "zone"))), Status::Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(code(Far(Term("app", "db", "zone"))), Status::Code::kUnschedulable);
}

TEST_F(InterPodAffinityTest, ScoresWhatThePodPrefers) {
  PlacePod("a1", PodJson(R"("app":"db")"));
  PlacePod("a1", PodJson(R"("app":"db")"));
  PlacePod("b1", PodJson(R"("app":"db")"));
  EXPECT_THAT(Scores(kName, PodJson("", Preferred("podAffinity", 5, Term("app", "db", "zone")))),
              ElementsAre(Pair("a1", 100), Pair("a2", 100), Pair("b1", 50), Pair("none", 0)));
  EXPECT_THAT(
      Scores(kName, PodJson("", Preferred("podAntiAffinity", 5, Term("app", "db", "zone")))),
      ElementsAre(Pair("a1", 0), Pair("a2", 0), Pair("b1", 50), Pair("none", 100)));
}

TEST_F(InterPodAffinityTest, ScoresWhatExistingPodsPrefer) {
  PlacePod("a1", PodJson("", Preferred("podAffinity", 8, Term("app", "web", "zone"))));
  PlacePod("b1", PodJson("", Preferred("podAntiAffinity", 8, Term("app", "web", "zone"))));
  const std::string web = PodJson(R"("app":"web")");
  EXPECT_THAT(Scores(kName, web),
              ElementsAre(Pair("a1", 100), Pair("a2", 100), Pair("b1", 0), Pair("none", 50)));
  EXPECT_TRUE(Scores(kName, web, "{ignorePreferredTermsOfExistingPods: true}").empty());
  EXPECT_TRUE(Scores(kName, PodJson(R"("app":"other")")).empty());
}

TEST_F(InterPodAffinityTest, RequiredAffinityOfExistingPodsCountsInTheScore) {
  PlacePod("a1", PodJson("", Near(Term("app", "web", "zone"))));
  PlacePod("b1", PodJson("", Preferred("podAffinity", 50, Term("app", "web", "zone"))));
  const std::string web = PodJson(R"("app":"web")");
  EXPECT_EQ(Scores(kName, web).at("a1"), 2);  // 1 of 50
  EXPECT_EQ(Scores(kName, web, "{hardPodAffinityWeight: 0}").at("a1"), 0);
  EXPECT_EQ(Scores(kName, web, "{hardPodAffinityWeight: 100}").at("b1"), 50);
}

TEST_F(InterPodAffinityTest, MistakesInTheArgumentsAreTold) {
  const auto mistake = [&](const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    BuiltInPlugins(listers_)[kName](document.root().Get("args"), &document).value();
    const auto checked = document.Check();
    return checked ? std::string() : std::string(checked.error().message());
  };
  EXPECT_THAT(mistake("{hardPodAffinityWeight: 101}"), ::testing::HasSubstr("100"));
  EXPECT_THAT(mistake("{hardPodAffinity: 1}"), ::testing::HasSubstr("hardPodAffinity"));
  EXPECT_EQ(mistake("{hardPodAffinityWeight: 7}"), "");
}

TEST_F(InterPodAffinityTest, WakesForWhatCouldHelp) {
  const auto plugin = Make<EnqueueExtensions>(kName);
  const auto pod = [](const std::string& json) {
    return std::make_shared<const Pod>(ParsePod(json).value());
  };
  const auto near = pod(PodJson(R"("app":"web")", Near(Term("app", "db", "zone"))));
  const auto far = pod(PodJson(R"("app":"web")", Far(Term("app", "db", "zone"))));
  const auto plain = pod(PodJson(R"("app":"web")"));
  const auto db = pod(PodJson(R"("app":"db")")), other = pod(PodJson(R"("app":"x")"));
  const auto repels = pod(PodJson("", Far(Term("app", "web", "zone"))));
  const auto change = [](ClusterEvent event, std::shared_ptr<const Pod> old,
                         std::shared_ptr<const Pod> now) {
    return ClusterChange{event, std::move(old), std::move(now), {}, {}};
  };
  const auto added = ClusterEvent::kAssignedPodAdd, gone = ClusterEvent::kAssignedPodDelete,
             updated = ClusterEvent::kAssignedPodUpdate;
  EXPECT_TRUE(plugin->Helps(*near, change(added, nullptr, db)));
  EXPECT_FALSE(plugin->Helps(*near, change(added, nullptr, other)));
  EXPECT_FALSE(plugin->Helps(*far, change(added, nullptr, other)));
  EXPECT_TRUE(plugin->Helps(*far, change(gone, db, db)));
  EXPECT_FALSE(plugin->Helps(*far, change(gone, other, other)));
  EXPECT_TRUE(plugin->Helps(*plain, change(gone, repels, repels)));
  EXPECT_TRUE(plugin->Helps(*near, change(updated, other, db)));
  EXPECT_FALSE(plugin->Helps(*near, change(updated, db, other)));
  EXPECT_TRUE(plugin->Helps(*far, change(updated, db, other)));
  // The last of a group went, or left it: another may be the first.
  const auto group = pod(PodJson(R"("app":"db")", Near(Term("app", "db", "zone"))));
  EXPECT_TRUE(plugin->Helps(*group, change(gone, db, db)));
  EXPECT_TRUE(plugin->Helps(*group, change(updated, db, other)));
  EXPECT_FALSE(plugin->Helps(*near, change(gone, db, db)));  // none of the group itself
  // One of two terms lets go, and with it a whole zone.
  const auto two =
      pod(PodJson("", Far(Term("app", "db", "zone") + "," + Term("tier", "fe", "host"))));
  EXPECT_TRUE(plugin->Helps(*two, change(updated, pod(PodJson(R"("app":"db","tier":"fe")")),
                                         pod(PodJson(R"("tier":"fe")")))));
  const auto node = [&](const char* name) { return nodes_.at(name)->shared_node(); };
  const auto moved = [&](std::shared_ptr<const Node> old, std::shared_ptr<const Node> now) {
    const auto event = old ? ClusterEvent::kNodeLabelUpdate : ClusterEvent::kNodeAdd;
    return ClusterChange{event, {}, {}, std::move(old), std::move(now)};
  };
  EXPECT_TRUE(plugin->Helps(*near, moved(nullptr, node("a1"))));
  EXPECT_FALSE(plugin->Helps(*near, moved(nullptr, node("none"))));
  EXPECT_TRUE(plugin->Helps(*far, moved(nullptr, node("none"))));
  EXPECT_TRUE(plugin->Helps(*near, moved(node("a1"), node("b1"))));
  EXPECT_FALSE(plugin->Helps(*near, moved(node("a1"), node("a2"))));
  EXPECT_TRUE(plugin->Helps(*far, moved(node("a1"), node("none"))));
  EXPECT_FALSE(plugin->Helps(*far, moved(node("none"), node("a1"))));
}

}  // namespace
}  // namespace leadline

// Scores equal to kube-scheduler's, worked out by hand from its formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Asking(const std::string& requests) {
  return R"("containers":[{"resources":{"requests":{)" + requests + "}}}]";
}

class ScorePluginsTest : public WorldFixture {
 protected:
  void AddNodeWith(const std::string& name, const std::string& status) {
    nodes_[name] = MakeNode(R"({"metadata":{"name":")" + name + R"("},"status":{)" + status + "}}");
  }
  std::int64_t ScoreOf(const std::string& plugin, const std::string& args, const std::string& pod,
                       const std::string& node) {
    const auto made = Make<ScorePlugin>(plugin, args);
    return made->Score(state_, MakePod(pod), *nodes_.at(node), 0).value();
  }
  std::string Mistake(const std::string& plugin, const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    BuiltInPlugins(listers_)[plugin](document.root().Get("args"), &document).value();
    const auto checked = document.Check();
    return checked ? std::string() : std::string(checked.error().message());
  }
};

TEST_F(ScorePluginsTest, FewerTaintsToAvoidAreBetter) {
  AddNode("none", "");
  AddNode("one", "", R"("taints":[{"key":"a","effect":"PreferNoSchedule"}])");
  AddNode("three", "", R"("taints":[{"key":"a","effect":"PreferNoSchedule"},
      {"key":"b","effect":"PreferNoSchedule"},{"key":"c","effect":"PreferNoSchedule"},
      {"key":"d","effect":"NoSchedule"}])");
  const auto scores = [&](const std::string& spec) {
    const auto plugin = Make<ScorePlugin>("TaintToleration");
    const PodInfo pod = MakePod(PodJson("", spec));
    std::vector<std::int64_t> values;
    for (const auto& [name, node] : nodes_) {
      values.push_back(plugin->Score(state_, pod, *node, 0).value());
    }
    EXPECT_TRUE(plugin->NormalizeScore(state_, pod, values).ok());
    return values;
  };
  EXPECT_THAT(scores(""), ElementsAre(100, 67, 0));
  EXPECT_THAT(scores(R"("tolerations":[{"key":"a","operator":"Exists"}])"),
              ElementsAre(100, 100, 0));
  EXPECT_THAT(scores(R"("tolerations":[{"operator":"Exists"}])"), ElementsAre(100, 100, 100));
  // A toleration of another effect does not help.
  EXPECT_THAT(scores(R"("tolerations":[{"key":"a","operator":"Exists","effect":"NoSchedule"}])"),
              ElementsAre(100, 67, 0));
}

std::string PreferredNodes(const std::string& terms) {
  return R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)" +
         terms + "]}}";
}
std::string PreferLabel(int weight, const std::string& key, const std::string& value) {
  return R"({"weight":)" + std::to_string(weight) +
         R"(,"preference":{"matchExpressions":[{"key":")" + key +
         R"(","operator":"In","values":[")" + value + "\"]}]}}";
}

TEST_F(ScorePluginsTest, PreferredNodeAffinityAddsUp) {
  AddNode("both", R"("disk":"ssd","zone":"a")");
  AddNode("neither", "");
  AddNode("zone", R"("zone":"a")");
  const std::string pod = PodJson(
      "", PreferredNodes(PreferLabel(3, "disk", "ssd") + "," + PreferLabel(2, "zone", "a")));
  EXPECT_THAT(Scores("NodeAffinity", pod),
              ElementsAre(Pair("both", 100), Pair("neither", 0), Pair("zone", 40)));
  EXPECT_THAT(Scores("NodeAffinity", PodJson("")), IsEmpty());
  EXPECT_THAT(
      Scores("NodeAffinity", PodJson("", PreferredNodes(R"({"weight":5,"preference":{}})"))),
      ElementsAre(Pair("both", 0), Pair("neither", 0), Pair("zone", 0)));
}

TEST_F(ScorePluginsTest, AddedAffinityHoldsForEveryPodOfTheProfile) {
  AddNode("a", R"("pool":"batch","zone":"a")");
  AddNode("b", R"("pool":"batch")");
  AddNode("c", R"("pool":"web","zone":"a")");
  const std::string args =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: pool, operator: In, values: [batch]}]}]}, "
      "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 4, preference: "
      "{matchExpressions: [{key: zone, operator: Exists}]}}]}}";
  EXPECT_THAT(Verdicts("NodeAffinity", PodJson(""), args),
              ElementsAre(Pair("a", ""), Pair("b", ""),
                          Pair("c", "node(s) didn't match scheduler-enforced node affinity")));
  EXPECT_THAT(Scores("NodeAffinity", PodJson(""), args),
              ElementsAre(Pair("a", 100), Pair("b", 0), Pair("c", 100)));
  EXPECT_EQ(Feasible("NodeAffinity", PodJson("", R"("nodeSelector":{"zone":"a"})"), args), "a");
  EXPECT_THAT(Mistake("NodeAffinity", "{addedAffinity: {}}"), HasSubstr("required or preferred"));
  EXPECT_THAT(Mistake("NodeAffinity",
                      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                      "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Is}]}]}}}"),
              HasSubstr("DoesNotExist"));
  EXPECT_THAT(Mistake("NodeAffinity",
                      "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                      "[{weight: 101, preference: {}}]}}"),
              HasSubstr("weight"));
}

TEST_F(ScorePluginsTest, BalanceGetsBetterOrWorse) {
  AddNodeWith("cpu", R"("allocatable":{"cpu":"10","memory":"10Gi"})");
  AddNodeWith("empty", R"("allocatable":{"cpu":"10","memory":"10Gi"})");
  AddNodeWith("none", R"("allocatable":{})");
  Place(*nodes_["cpu"], PodJson("", Asking(R"("cpu":"6")")));
  const std::string name = "NodeResourcesBalancedAllocation";
  // cpu: from (0.6, 0) to (0.6, 0.4): 70 becomes 90. empty: (0, 0.4): 100 becomes 80.
  EXPECT_THAT(Scores(name, PodJson("", Asking(R"("memory":"4Gi")"))),
              ElementsAre(Pair("cpu", 85), Pair("empty", 65), Pair("none", 75)));
  EXPECT_THAT(Scores(name, PodJson("")), IsEmpty());  // asks for nothing
  AddNodeWith("gpu", R"("allocatable":{"cpu":"10","memory":"10Gi","x.com/gpu":"4"})");
  const std::string three = "{resources: [{name: cpu}, {name: memory}, {name: x.com/gpu}]}";
  const std::string pod = PodJson("", Asking(R"("cpu":"1","memory":"1Gi","x.com/gpu":"4")"));
  // (0.1, 0.1, 1) deviates by 0.424: 100 becomes 57.
  EXPECT_EQ(Scores(name, pod, three).at("gpu"), 50 + (50 + 57 - 100) / 2);
  EXPECT_THAT(Mistake(name, "{resources: [{name: cpu, weight: 2}]}"), HasSubstr("weight"));
}

TEST_F(ScorePluginsTest, ImagesThatAreThereCountBySizeAndSpread) {
  const auto images = [](const std::string& name, const std::string& megabytes) {
    return R"("images":[{"names":[")" + name + R"(","other"],"sizeBytes":)" + megabytes + "}]";
  };
  const std::string mb500 = std::to_string(500 * 1024 * 1024);
  AddNodeWith("a", images("nginx:latest", mb500));
  AddNodeWith("b", images("nginx:latest", mb500));
  AddNodeWith("c", images("nginx:1.2", mb500));
  AddNodeWith("d", "");
  const auto pod = [](const std::string& image) {
    return PodJson("", R"("containers":[{"image":")" + image + R"("}])");
  };
  // 500 MB on half of the nodes is 250 MB: (250 - 23) of (1000 - 23).
  EXPECT_THAT(Scores("ImageLocality", pod("nginx")),
              ElementsAre(Pair("a", 23), Pair("b", 23), Pair("c", 0), Pair("d", 0)));
  EXPECT_EQ(Scores("ImageLocality", pod("nginx:1.2")).at("c"), 10);  // 125 MB
  EXPECT_THAT(Scores("ImageLocality", pod("registry.test:5000/nginx")), IsEmpty());
  // Two containers double the upper bound; image volumes count, too.
  const std::string two = PodJson("", R"("containers":[{"image":"nginx"},{"image":"absent"}])");
  EXPECT_EQ(Scores("ImageLocality", two).at("a"), 100 * (250 - 23) / (2000 - 23));
  const std::string volume = PodJson("", R"("containers":[{"image":"absent"}],
      "volumes":[{"name":"v","image":{"reference":"nginx"}}])");
  EXPECT_EQ(Scores("ImageLocality", volume).at("a"), 100 * (250 - 23) / (2000 - 23));
}

TEST_F(ScorePluginsTest, RequestedToCapacityRatioFollowsItsShape) {
  AddNodeWith("n", R"("allocatable":{"cpu":"10","memory":"1000","x.com/gpu":"4"})");
  const auto score = [&](const std::string& shape, const std::string& requests,
                         const std::string& resources = "[{name: cpu}]") {
    return ScoreOf("NodeResourcesFit",
                   "{scoringStrategy: {type: RequestedToCapacityRatio, resources: " + resources +
                       ", requestedToCapacityRatio: {shape: " + shape + "}}}",
                   PodJson("", Asking(requests)), "n");
  };
  const std::string up = "[{utilization: 0, score: 0}, {utilization: 100, score: 10}]";
  const std::string peak =
      "[{utilization: 20, score: 2}, {utilization: 50, score: 10}, {utilization: 90, score: 4}]";
  EXPECT_EQ(score(up, R"("cpu":"5")"), 50);
  EXPECT_EQ(score(up, R"("cpu":"15")"), 100);
  EXPECT_EQ(score(peak, R"("cpu":"1")"), 20);
  EXPECT_EQ(score(peak, R"("cpu":"3")"), 20 + 80 * 10 / 30);
  EXPECT_EQ(score(peak, R"("cpu":"7")"), 100 - 60 * 20 / 40);
  EXPECT_EQ(score(peak, R"("cpu":"10")"), 40);
  // A resource that scores 0 is left out of the mean; it is rounded, not cut.
  const std::string both = "[{name: cpu, weight: 2}, {name: x.com/gpu}]";
  EXPECT_EQ(score(up, R"("cpu":"5","x.com/gpu":"1")", both), 42);  // (2 x 50 + 25) / 3 = 41.7
  EXPECT_EQ(score(up, R"("cpu":"5")", both), 50);
  const auto mistake = [&](const std::string& shape) {
    return Mistake("NodeResourcesFit",
                   "{scoringStrategy: {type: RequestedToCapacityRatio, "
                   "requestedToCapacityRatio: {shape: " +
                       shape + "}}}");
  };
  EXPECT_EQ(mistake(up), "");
  EXPECT_THAT(mistake("[]"), HasSubstr("at least one point"));
  EXPECT_THAT(mistake("[{utilization: 5, score: 1}, {utilization: 5, score: 2}]"),
              HasSubstr("more than the point before"));
  EXPECT_THAT(mistake("[{utilization: 5, score: 11}]"), HasSubstr("score"));
}

}  // namespace
}  // namespace leadline

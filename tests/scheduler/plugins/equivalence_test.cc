// A profile that has seen many Pods judges the next one as a fresh profile does: what it kept of
// Pods that were alike holds.
#include "leadline/base/rng.h"
#include "leadline/framework/framework.h"
#include "scheduler/plugins/binds_nothing.h"
#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

struct Answer {
  std::vector<std::string> feasible;
  std::vector<std::string> rejected;
  std::vector<std::int64_t> scores;
};

class EquivalenceTest : public WorldFixture {
 protected:
  std::unique_ptr<Framework> Profile() {
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    return Framework::Make(profile, PluginsThatBindNothing(listers_), nullptr).value();
  }

  static Answer Ask(Framework& profile, const Snapshot& snapshot, const PodInfo& pod) {
    CycleState state("decision", snapshot, 0);
    const Feasibility found = profile.FindFeasible(state, pod);
    Answer answer;
    for (const NodeInfo* node : found.feasible) answer.feasible.push_back(node->name());
    for (const auto& [node, status] : found.rejected) {
      answer.rejected.push_back(node + " " + status.plugin() + " " + status.Message());
    }
    std::vector<NodeScore> scores;
    EXPECT_TRUE(profile.Prioritize(state, pod, found.feasible, &scores).ok());
    for (const NodeScore& score : scores) answer.scores.push_back(score.score);
    return answer;
  }

  template <std::size_t n>
  std::string OneOf(const char* const (&texts)[n]) {
    return texts[rng_.Below(n)];
  }

  void PutNode(const std::string& name) {
    const std::string taint = OneOf({"", "NoSchedule", "PreferNoSchedule"});
    const std::string cpu = OneOf({"2", "4"});
    nodes_[name] = MakeNode(
        R"({"metadata":{"name":")" + name + R"(","labels":{"disk":")" + OneOf({"ssd", "hdd"}) +
        R"("}},"spec":{"unschedulable":)" + OneOf({"true", "false", "false", "false"}) +
        (taint.empty() ? "" : R"(,"taints":[{"key":"k","effect":")" + taint + R"("}])") +
        R"(},"status":{"allocatable":{"cpu":")" + cpu +
        R"(","memory":"8Gi","pods":"5"},"declaredFeatures":)" +
        OneOf({"[]", R"(["UserNamespacesHostNetworkSupport"])"}) + "}}");
  }

  // Pods that differ in one thing from the plain one, each in something that some NodeLocal plugin
  // reads.
  std::string Spec() {
    const std::string selects = R"([{"matchExpressions":[{"key":"disk","operator":"In","values":[)";
    const auto prefers = [](const std::string& disk) {
      return R"(,"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{)"
             R"("weight":5,"preference":{"matchExpressions":[{"key":"disk","operator":"In",)"
             R"("values":[")" +
             disk + R"("]}]}}]}})";
    };
    const auto container = [](const std::string& more) {
      return R"({"name":"c","image":"i","resources":{"requests":{"cpu":"1"}})" + more + "}";
    };
    const std::string port = R"(,"ports":[{"containerPort":80,"hostPort":80}])";
    const std::vector<std::string> wishes = {
        "",
        R"(,"nodeSelector":{"disk":"ssd"})",
        R"(,"nodeName":"n1")",
        R"(,"tolerations":[{"key":"k","operator":"Exists"}])",
        R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{)"
        R"("nodeSelectorTerms":)" +
            selects + R"("ssd"]}]}]}}})",
        prefers("ssd"),
        prefers("hdd"),
        R"(,"hostNetwork":true)",
        R"(,"hostUsers":false)",
        R"(,"hostNetwork":true,"hostUsers":false)",
        R"(,"overhead":{"cpu":"1"})",
        R"(,"initContainers":[)" + container(R"(,"restartPolicy":"Always")") + "]",
        R"(,"initContainers":[)" + container(R"(,"restartPolicy":"Always")" + port) + "]",
    };
    const std::string first = container(rng_.Below(6) == 0 ? port : "");
    return R"("containers":[)" + first + "]" + wishes[rng_.Below(wishes.size())];
  }

  void ChangeANode() {
    const std::string name = "n" + std::to_string(rng_.Below(12));
    const bool there = nodes_.count(name) != 0;
    switch (rng_.Below(4)) {
      case 0:
        there ? void(nodes_.erase(name)) : PutNode(name);  // all behind it move
        break;
      case 1:
        PutNode(name);
        break;
      case 2:
        if (there) PlacePod(name, PodJson("", Spec()));
        break;
      default:
        if (there && !nodes_[name]->pods().empty()) {
          nodes_[name]->RemovePod(nodes_[name]->pods().front()->uid());
        }
    }
  }

  Rng rng_{7};
};

TEST_F(EquivalenceTest, WhatWasKeptHolds) {
  for (int i = 0; i < 10; ++i) PutNode("n" + std::to_string(i));
  const auto experienced = Profile();
  std::vector<std::string> specs;
  for (int i = 0; i < 12; ++i) specs.push_back(Spec());
  for (int step = 0; step < 3000; ++step) {
    for (std::uint64_t change = rng_.Below(3); change > 0; --change) ChangeANode();
    if (rng_.Below(50) == 0) specs[rng_.Below(specs.size())] = Spec();
    const Snapshot snapshot = TakeSnapshot();
    const PodInfo pod = MakePod(PodJson("", specs[rng_.Below(specs.size())]));
    const Answer kept = Ask(*experienced, snapshot, pod);
    const Answer fresh = Ask(*Profile(), snapshot, pod);
    ASSERT_EQ(kept.feasible, fresh.feasible) << "step " << step;
    ASSERT_EQ(kept.rejected, fresh.rejected) << "step " << step;
    ASSERT_EQ(kept.scores, fresh.scores) << "step " << step;
  }
}

class Counter : public FrameworkObserver {
 public:
  void OnExtensionPoint(ExtensionPoint, Status::Code, double) override {}
  void OnEvaluations(ExtensionPoint, std::string_view plugin, std::size_t count) override {
    if (plugin == "NodeResourcesFit") calls += count;
  }
  void OnPlugin(std::string_view, std::string_view, Status::Code, double) override {}
  std::size_t calls = 0;
};

TEST_F(EquivalenceTest, OnlyNodesThatChangedAreAskedAgain) {
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    nodes_[name] = MakeNode(R"({"metadata":{"name":")" + name +
                            R"("},"status":{"allocatable":{"cpu":"4","pods":"5"}}})");
  }
  const auto profile = Profile();
  Counter counter;
  profile->set_observer(&counter);
  const auto calls = [&] {
    counter.calls = 0;
    Ask(*profile, TakeSnapshot(), MakePod(PodJson("", "")));
    return counter.calls;
  };
  const std::size_t all = calls();
  EXPECT_EQ(all, 20u);      // Filter and Score
  EXPECT_EQ(calls(), all);  // the first that is alike: kept from now on
  EXPECT_EQ(calls(), 0u);
  PlacePod("n3", PodJson("", ""));
  EXPECT_EQ(calls(), 2u);
}

}  // namespace
}  // namespace leadline

// A profile that has seen many Pods judges the next one as a fresh profile does: what it kept of
// Pods that were alike holds.
#include <gmock/gmock.h>

#include "leadline/base/rng.h"
#include "leadline/framework/framework.h"
#include "scheduler/plugins/world.h"

namespace leadline {
namespace {

class NoBind : public BindPlugin {
 public:
  std::string_view Name() const override { return "DefaultBinder"; }
  void Bind(CycleState&, const PodInfo&, const std::string&, StatusCallback done) override {
    done(Status());
  }
};

struct Answer {
  std::vector<std::string> feasible;
  std::vector<std::string> rejected;
  std::vector<std::int64_t> scores;
};

class EquivalenceTest : public WorldFixture {
 protected:
  std::unique_ptr<Framework> Profile() {
    PluginRegistry registry = BuiltInPlugins(listers_);
    registry.emplace("DefaultBinder", [](const YamlNode&, const YamlDocument*) {
      return Result<std::shared_ptr<Plugin>>(std::make_shared<NoBind>());
    });
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    return Framework::Make(profile, registry, nullptr).value();
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

  // One wish more or less than the next Pod has: all of them are read by NodeLocal plugins.
  std::string Spec() {
    const std::string port = OneOf({"", "", R"(,"ports":[{"containerPort":80,"hostPort":80}])"});
    return R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" +
           OneOf({"1", "3"}) + R"("}})" + port + "}]" +
           OneOf({"", "", R"(,"nodeSelector":{"disk":"ssd"})"}) +
           OneOf({"", "", R"(,"nodeName":"n1")"}) +
           OneOf({"", R"(,"tolerations":[{"key":"k","operator":"Exists"}])"}) +
           OneOf({"", R"(,"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuring)"
                      R"(Execution":[{"weight":5,"preference":{"matchExpressions":[{"key":"disk",)"
                      R"("operator":"In","values":["hdd"]}]}}]}})"}) +
           OneOf({"", "", R"(,"hostNetwork":true,"hostUsers":false)"}) +
           OneOf({"", "", R"(,"overhead":{"cpu":"1"})"});
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
  for (int i = 0; i < 10; ++i) AddNode("n" + std::to_string(i), "");
  for (auto& [name, node] : nodes_) node->SetNode(node->shared_node());
  const auto profile = Profile();
  Counter counter;
  profile->set_observer(&counter);
  const auto calls = [&] {
    counter.calls = 0;
    Ask(*profile, TakeSnapshot(), MakePod(PodJson("", "")));
    return counter.calls;
  };
  const std::size_t all = calls();
  EXPECT_GE(all, 10u);
  EXPECT_EQ(calls(), all);  // the first that is alike: kept from now on
  EXPECT_EQ(calls(), 0u);
  PlacePod("n3", PodJson("", ""));
  EXPECT_EQ(calls(), all / 10);
}

}  // namespace
}  // namespace leadline

// A profile of the default plugins on a small cluster, and whom it would evict for a Pod.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "leadline/framework/framework.h"
#include "scheduler/plugins/binds_nothing.h"
#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {

class PreemptionFixture : public PluginFixture {
 protected:
  // What is said of a Pod besides its name, UID, labels and priority: members of its JSON.
  struct PodText {
    std::string name = "p";
    int priority = 0;
    std::string cpu = "1";
    std::string labels = "";
    std::string spec = "";    // further members
    std::string status = "";  // likewise
    bool deleting = false;
  };
  static std::string Json(const PodText& pod) {
    const auto more = [](const std::string& members) {
      return members.empty() ? std::string() : "," + members;
    };
    return R"({"metadata":{"namespace":"d","name":")" + pod.name + R"(","uid":")" + pod.name +
           R"(","labels":{)" + pod.labels + "}" +
           (pod.deleting ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "") +
           R"(},"spec":{"schedulerName":"dqn-scheduler","priority":)" +
           std::to_string(pod.priority) +
           R"(,"containers":[{"name":"c","resources":{"requests":{"cpu":")" + pod.cpu + R"("}}}])" +
           more(pod.spec) + R"(},"status":{"phase":"Running")" + more(pod.status) + "}}";
  }
  static std::string StartedAt(int minute) {
    return R"("startTime":"2026-01-01T00:)" + std::string(minute < 10 ? "0" : "") +
           std::to_string(minute) + R"(:00Z")";
  }

  void AddNode(const std::string& name, int cpu, const std::vector<PodText>& pods,
               const std::string& spec = "", const std::string& labels = "") {
    auto node =
        MakeNode(R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + R"(}},"spec":{)" +
                 spec + R"(},"status":{"allocatable":{"cpu":")" + std::to_string(cpu) +
                 R"(","memory":"64Gi","pods":")" + std::to_string(max_pods_) + R"("}}})");
    for (const PodText& pod : pods) Place(*node, Json(pod));
    nodes_[name] = node;
  }
  void AddBudget(const std::string& name, const std::string& selector, int allowed,
                 const std::string& disrupted = "", const std::string& name_space = "d") {
    auto budget = ParseDisruptionBudget(
        R"({"metadata":{"name":")" + name + R"(","namespace":")" + name_space +
        R"("},"spec":{"selector":)" + selector + R"(},"status":{"disruptionsAllowed":)" +
        std::to_string(allowed) + R"(,"disruptedPods":{)" + disrupted + "}}}");
    ASSERT_TRUE(budget);
    listers_.disruption_budgets.Put(
        std::make_shared<const PodDisruptionBudget>(std::move(budget).value()));
  }
  void Nominate(const PodText& pod, const std::string& node) {
    nominator_.Nominate(std::make_shared<const PodInfo>(MakePod(Json(pod))), node);
  }

  void MakeFramework(const std::string& args = "{}") {
    if (framework_) return;
    document_ = std::make_unique<YamlDocument>(
        YamlDocument::Parse("args: " + args + "\n", "test.yaml").value());
    ProfileConfig profile;
    profile.default_plugins = DefaultPlugins();
    profile.multi_point.disabled = disabled_;
    profile.args.emplace("DefaultPreemption", document_->root().Get("args"));
    framework_ = *Framework::Make(profile, PluginsThatBindNothing(listers_), document_.get());
    framework_->set_nominator(&nominator_);
  }

  // Runs a whole cycle for a Pod that must fit nowhere.
  Status Preempt(const PodText& preemptor) {
    MakeFramework();
    NodeInfos nodes;
    for (const auto& [name, node] : nodes_) nodes.push_back(std::make_shared<NodeInfo>(*node));
    const Snapshot snapshot(1, nodes);
    const PodInfo pod = MakePod(Json(preemptor));
    CycleState state("id", snapshot, 0);
    const Feasibility found = framework_->FindFeasible(state, pod);
    EXPECT_TRUE(found.feasible.empty()) << "it fits without preemption";
    wanted_ = {};
    return framework_->RunPostFilter(state, pod, found.rejected, &wanted_);
  }
  // "node: victim victim", names sorted; else the message.
  std::string WhoGoes(const PodText& preemptor) {
    const Status status = Preempt(preemptor);
    if (!status.ok()) return status.Message();
    std::vector<std::string> names;
    for (const auto& victim : wanted_.victims) names.push_back(victim->pod->metadata.name);
    std::sort(names.begin(), names.end());
    std::string text = *wanted_.nominated_node + ":";
    for (const std::string& name : names) text += " " + name;
    EXPECT_EQ(status.Message(), "preemption: found a potential placement for pod on node " +
                                    *wanted_.nominated_node + ", preempting " +
                                    std::to_string(names.size()) + " victims");
    return text;
  }

  int max_pods_ = 110;
  std::vector<std::string> disabled_;  // of the default plugins
  std::map<std::string, std::shared_ptr<NodeInfo>> nodes_;
  Nominator nominator_;
  std::unique_ptr<YamlDocument> document_;
  std::unique_ptr<Framework> framework_;
  PostFilterResult wanted_;
};

}  // namespace leadline

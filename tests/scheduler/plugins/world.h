// A few nodes with Pods on them, and one plugin's verdict on where a Pod may go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {

class WorldFixture : public PluginFixture {
 protected:
  // `labels` as JSON members: R"("zone":"a")".
  void AddNode(const std::string& name, const std::string& labels,
               const std::string& spec = R"("unschedulable":false)") {
    nodes_[name] = MakeNode(R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels +
                            R"(}},"spec":{)" + spec + "}}");
  }
  void AddNamespace(const std::string& name, const std::string& labels) {
    listers_.namespaces.Put(std::make_shared<const Namespace>(
        ParseNamespace(R"({"metadata":{"name":")" + name + R"(","labels":{)" + labels + "}}}")
            .value()));
  }
  // A Pod as JSON; namespace "d" and an own UID unless it says otherwise.
  static std::string PodJson(const std::string& labels, const std::string& spec = "",
                             const std::string& name_space = "d", const std::string& more = "") {
    static int last = 0;
    const std::string name = "p" + std::to_string(++last);
    return R"({"metadata":{"name":")" + name + R"(","uid":")" + name + R"(","namespace":")" +
           name_space + R"(","labels":{)" + labels + "}" + more + R"(},"spec":{)" + spec + "}}";
  }
  void PlacePod(const std::string& node, const std::string& json) { Place(*nodes_.at(node), json); }

  Snapshot TakeSnapshot() const {
    NodeInfos nodes;
    for (const auto& [name, node] : nodes_) nodes.push_back(std::make_shared<NodeInfo>(*node));
    return Snapshot(1, std::move(nodes));
  }

  // What the plugin says of each node: "" for yes, else the reason; PreFilter's own is for all.
  static std::map<std::string, std::string> Verdicts(Plugin& plugin, const Snapshot& snapshot,
                                                     const PodInfo& pod) {
    CycleState state("decision", snapshot, 0);
    PreFilterResult result;
    const Status first = dynamic_cast<PreFilterPlugin&>(plugin).PreFilter(state, pod, &result);
    std::map<std::string, std::string> verdicts;
    for (const auto& node : snapshot.nodes()) {
      verdicts[node->name()] =
          first.ok() ? dynamic_cast<FilterPlugin&>(plugin).Filter(state, pod, *node).Message()
                     : first.Message();
    }
    return verdicts;
  }
  std::map<std::string, std::string> Verdicts(const std::string& plugin, const std::string& pod,
                                              const std::string& args = "{}") {
    return Verdicts(*Make<Plugin>(plugin, args), TakeSnapshot(), MakePod(pod));
  }
  // The nodes that pass, joined by spaces.
  std::string Feasible(const std::string& plugin, const std::string& pod,
                       const std::string& args = "{}") {
    std::string names;
    for (const auto& [name, reason] : Verdicts(plugin, pod, args)) {
      if (reason.empty()) names += (names.empty() ? "" : " ") + name;
    }
    return names;
  }

  // Normalized scores of the nodes, all of them feasible; empty when the plugin has none.
  static std::map<std::string, std::int64_t> Scores(Plugin& plugin, const Snapshot& snapshot,
                                                    const PodInfo& pod) {
    CycleState state("decision", snapshot, 0);
    std::vector<const NodeInfo*> feasible;
    for (const auto& node : snapshot.nodes()) feasible.push_back(node.get());
    if (!dynamic_cast<PreScorePlugin&>(plugin).PreScore(state, pod, feasible).ok()) return {};
    auto& score = dynamic_cast<ScorePlugin&>(plugin);
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < feasible.size(); ++i) {
      values.push_back(score.Score(state, pod, *feasible[i], i).value());
    }
    EXPECT_TRUE(score.NormalizeScore(state, pod, values).ok());
    std::map<std::string, std::int64_t> scores;
    for (std::size_t i = 0; i < values.size(); ++i) scores[feasible[i]->name()] = values[i];
    return scores;
  }
  std::map<std::string, std::int64_t> Scores(const std::string& plugin, const std::string& pod,
                                             const std::string& args = "{}") {
    return Scores(*Make<Plugin>(plugin, args), TakeSnapshot(), MakePod(pod));
  }

  std::map<std::string, std::shared_ptr<NodeInfo>> nodes_;
};

}  // namespace leadline

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/framework/scripted_plugin.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Code = Status::Code;

// Counts what it is told.
class Recorder : public FrameworkObserver {
 public:
  void OnExtensionPoint(ExtensionPoint point, Code code, double seconds) override {
    EXPECT_GE(seconds, 0);
    points.push_back(std::string(ExtensionPointName(point)) + ":" +
                     std::string(StatusCodeName(code)));
  }
  void OnEvaluations(ExtensionPoint point, std::string_view plugin, std::size_t count) override {
    evaluations[std::string(ExtensionPointName(point)) + "." + std::string(plugin)] += count;
  }
  void OnPlugin(std::string_view step, std::string_view plugin, Code, double) override {
    ++calls[std::string(step) + "." + std::string(plugin)];
  }
  std::vector<std::string> points;
  std::map<std::string, std::size_t> evaluations, calls;
};

class FrameworkRunTest : public testing::Test {
 protected:
  FrameworkRunTest() {
    for (auto* script : {&a_, &b_}) {
      *script = std::make_shared<Script>();
      (*script)->calls = &calls_;
    }
    NodeInfos nodes;
    for (const char* name : {"n1", "n2", "n3"}) {
      auto node = std::make_shared<Node>();
      node->metadata.name = name;
      nodes.push_back(std::make_shared<NodeInfo>(node));
    }
    snapshot_ = Snapshot(1, nodes);
    state_.emplace("id", snapshot_, 0);
  }
  Framework& Make() {
    PluginRegistry registry;
    RegisterAgeSort(&registry);
    Register(&registry, "A", a_);
    Register(&registry, "B", b_);
    ProfileConfig profile;
    // B before A: what is sorted and what is in order must not look alike.
    profile.default_plugins = {{"AgeSort"}, {"B", 1}, {"A", 10}};
    framework_ = *Framework::Make(profile, registry, nullptr);
    framework_->set_observer(&recorder_);
    return *framework_;
  }
  std::string Message() {
    const Feasibility found = Make().FindFeasible(*state_, pod_);
    return FitErrorMessage(found, snapshot_.nodes().size());
  }
  static std::vector<std::string> Names(const std::vector<const NodeInfo*>& nodes) {
    std::vector<std::string> names;
    for (const NodeInfo* node : nodes) names.push_back(node->name());
    return names;
  }
  static auto Restrict(std::set<std::string> names) {
    return [names](PreFilterResult* result) {
      result->node_names = names;
      return Status();
    };
  }
  static auto Say(Code code, std::string text) {
    return [code, text](auto&&...) { return Status(code, text); };
  }

  std::shared_ptr<Script> a_, b_;
  std::vector<std::string> calls_;
  Snapshot snapshot_;
  std::optional<CycleState> state_;
  PodInfo pod_{std::make_shared<Pod>()};
  Recorder recorder_;
  std::unique_ptr<Framework> framework_;
};

TEST_F(FrameworkRunTest, TheFirstRefusalOfANodeCounts) {
  b_->filter = [](const NodeInfo& node) {
    return node.name() == "n1" ? Status(Code::kUnschedulable, "b says no") : Status();
  };
  a_->filter = [](const NodeInfo& node) {
    if (node.name() == "n3") return Status();
    return Status(Code::kUnschedulable, std::vector<std::string>{"a one", "a two"});
  };
  const Feasibility found = Make().FindFeasible(*state_, pod_);
  EXPECT_THAT(Names(found.feasible), ElementsAre("n3"));
  ASSERT_EQ(found.rejected.size(), 2u);
  EXPECT_EQ(found.rejected[0].second.plugin(), "B");
  EXPECT_EQ(found.rejected[1].second.plugin(), "A");
  EXPECT_EQ(FitErrorMessage(found, 3), "0/3 nodes are available: 1 a one, 1 a two, 1 b says no.");
  EXPECT_THAT(found.RejectingPlugins(), ElementsAre("A", "B"));
  EXPECT_EQ(recorder_.evaluations["Filter.B"], 3u);
  EXPECT_EQ(recorder_.evaluations["Filter.A"], 2u);
}

TEST_F(FrameworkRunTest, ReasonsAreSortedAsText) {
  Feasibility found;
  for (int i = 0; i < 10; ++i) {
    found.rejected.emplace_back("n", Status(Code::kUnschedulable, "a"));
    if (i < 2) found.rejected.emplace_back("m", Status(Code::kUnschedulable, "b"));
  }
  EXPECT_EQ(FitErrorMessage(found, 12), "0/12 nodes are available: 10 a, 2 b.");
  EXPECT_EQ(FitErrorMessage(Feasibility(), 0), "no nodes available to schedule pods");
}

TEST_F(FrameworkRunTest, APreFilterThatSkipsSwitchesItsFilterOff) {
  b_->pre_filter = [](PreFilterResult*) { return Status::Skip(); };
  b_->filter = Say(Code::kUnschedulable, "not asked");
  EXPECT_EQ(Make().FindFeasible(*state_, pod_).feasible.size(), 3u);
  EXPECT_EQ(recorder_.evaluations.count("PreFilter.B"), 0u);
  EXPECT_EQ(recorder_.evaluations["PreFilter.A"], 1u);
}

TEST_F(FrameworkRunTest, APreFilterRefusalStandsForAllNodes) {
  b_->pre_filter = Say(Code::kUnschedulableAndUnresolvable, "claim \"x\" not found");
  EXPECT_EQ(Message(), "0/3 nodes are available: claim \"x\" not found.");
  EXPECT_THAT(calls_, ElementsAre("B.PreFilter"));
}

TEST_F(FrameworkRunTest, AfterAMereUnschedulableTheOtherPreFiltersRun) {
  b_->pre_filter = Say(Code::kUnschedulable, "b");
  a_->pre_filter = Say(Code::kUnschedulable, "a");
  EXPECT_EQ(Message(), "0/3 nodes are available: a.");
  EXPECT_THAT(calls_, ElementsAre("B.PreFilter", "A.PreFilter"));
}

TEST_F(FrameworkRunTest, PreFilterResultsAreIntersected) {
  b_->pre_filter = Restrict({"n1", "n2", "gone"});
  a_->pre_filter = Restrict({"n2", "n3", "gone"});
  a_->filter = Say(Code::kUnschedulable, "full");
  EXPECT_EQ(Message(),
            "0/3 nodes are available: 1 full, 2 node(s) didn't satisfy plugin(s) [A B].");
  EXPECT_THAT(framework_->FindFeasible(*state_, pod_).RejectingPlugins(), ElementsAre("A", "B"));
}

TEST_F(FrameworkRunTest, NamesOfNodesThatDoNotExistAreNoEmptySet) {
  b_->pre_filter = Restrict({"gone"});
  EXPECT_EQ(Message(), "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [B].");
}

TEST_F(FrameworkRunTest, AnEmptyIntersectionIsAPreFilterRefusal) {
  b_->pre_filter = Restrict({"n1"});
  a_->pre_filter = Restrict({"n2"});
  EXPECT_EQ(Message(),
            "0/3 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.");
  b_->pre_filter = Restrict({});
  EXPECT_EQ(Message(), "0/3 nodes are available: node(s) didn't satisfy plugin B.");
}

TEST_F(FrameworkRunTest, AnErrorEndsItAllAndSaysWhere) {
  b_->filter = [](const NodeInfo& node) {
    return node.name() == "n2" ? Status(Code::kError, "broken") : Status();
  };
  const Feasibility found = Make().FindFeasible(*state_, pod_);
  ASSERT_TRUE(found.verdict);
  EXPECT_EQ(found.verdict->code(), Code::kError);
  EXPECT_EQ(found.verdict->Message(), "running \"B\" filter plugin: broken");
  EXPECT_THAT(found.feasible, IsEmpty());
  EXPECT_THAT(recorder_.points, ElementsAre("PreFilter:Success", "Filter:Error"));
}

TEST_F(FrameworkRunTest, PostFilterMessagesComeLast) {
  b_->filter = Say(Code::kUnschedulable, "full");
  b_->post_filter = Say(Code::kUnschedulable, "preemption: no victims");
  a_->post_filter = [](PostFilterResult* result) {
    result->nominated_node = "n2";
    return Status();
  };
  Feasibility found = Make().FindFeasible(*state_, pod_);
  PostFilterResult result;
  EXPECT_TRUE(framework_->RunPostFilter(*state_, pod_, found.rejected, &result).ok());
  EXPECT_EQ(result.nominated_node, "n2");
  found.post_filter_message = "preemption: none.";
  EXPECT_EQ(FitErrorMessage(found, 3), "0/3 nodes are available: 3 full. preemption: none.");
}

std::vector<std::string> Words(const std::vector<Status>& statuses) {
  std::vector<std::string> words;
  for (const Status& status : statuses) words.push_back(status.ok() ? "fits" : status.Message());
  return words;
}

class FilterWithoutTest : public FrameworkRunTest {
 protected:
  // n1 with Pods a and b, n2 with c; Filter wants empty nodes.
  FilterWithoutTest() {
    NodeInfos nodes;
    for (const auto& [name, uids] :
         std::map<std::string, std::vector<std::string>>{{"n1", {"a", "b"}}, {"n2", {"c"}}}) {
      auto node = std::make_shared<Node>();
      node->metadata.name = name;
      auto info = std::make_shared<NodeInfo>(node);
      for (const std::string& uid : uids) {
        auto pod = std::make_shared<Pod>();
        pod->metadata.uid = uid;
        info->AddPod(std::make_shared<const PodInfo>(pod));
      }
      nodes.push_back(info);
    }
    snapshot_ = Snapshot(2, nodes);
    b_->filter = [](const NodeInfo& node) {
      return node.pods().empty() ? Status() : Status(Code::kUnschedulable, "not empty");
    };
  }
  std::vector<std::string> Ask(std::vector<std::string> from_n1, std::vector<std::string> from_n2) {
    return Words(Make().FilterWithout(
        *state_, pod_,
        {{snapshot_.Find("n1"), std::move(from_n1)}, {snapshot_.Find("n2"), std::move(from_n2)}}));
  }
};

TEST_F(FilterWithoutTest, JudgesEachNodeWithoutThoseWhoLeaveIt) {
  EXPECT_THAT(Ask({"a"}, {"c"}), ElementsAre("not empty", "fits"));
  EXPECT_THAT(Ask({"b", "gone", "a"}, {"a", "b"}), ElementsAre("fits", "not empty"));
  EXPECT_EQ(snapshot_.Find("n1")->pods().size(), 2u);
}

TEST_F(FilterWithoutTest, WhatPreFilterSaidOfAllNodesIsNotChangedByDepartures) {
  b_->pre_filter = Say(Code::kUnschedulableAndUnresolvable, "no claim");
  EXPECT_THAT(Ask({"a", "b"}, {"c"}), ElementsAre("no claim", "no claim"));
  b_->pre_filter = Restrict({"n1"});
  EXPECT_THAT(Ask({"a", "b"}, {"c"}), ElementsAre("fits", "node(s) didn't satisfy plugin(s) [B]"));
}

TEST_F(FilterWithoutTest, AMereUnschedulableOfPreFilterStandsWhereNobodyLeaves) {
  b_->pre_filter = Say(Code::kUnschedulable, "for now");
  EXPECT_THAT(Ask({"a", "b"}, {"gone"}), ElementsAre("fits", "for now"));
}

// A Pod of that priority, nominated to n2.
void NominateTo(Nominator* nominator, const std::string& uid, int priority,
                const std::string& node = "n2") {
  auto pod = std::make_shared<Pod>();
  pod->metadata.uid = uid;
  pod->spec.priority = priority;
  nominator->Nominate(std::make_shared<const PodInfo>(pod), node);
}

TEST_F(FrameworkRunTest, NominatedPodsAreFilteredWithAndWithout) {
  // Counts the Pods on n2 as the filter sees it.
  std::vector<std::size_t> seen;
  b_->filter = [&seen](const NodeInfo& node) {
    if (node.name() == "n2") seen.push_back(node.pods().size());
    return Status();
  };
  Nominator nominator;
  Make().set_nominator(&nominator);
  const auto look = [&] {
    seen.clear();
    framework_->FindFeasible(*state_, pod_);
    return seen;
  };
  EXPECT_THAT(look(), ElementsAre(0)) << "nobody is nominated";
  NominateTo(&nominator, "less", -1);
  EXPECT_THAT(look(), ElementsAre(0)) << "the less important make way";
  NominateTo(&nominator, "same", 0);
  NominateTo(&nominator, "more", 5);
  EXPECT_THAT(look(), ElementsAre(2, 0));
  framework_->set_nominator(nullptr);
  EXPECT_THAT(look(), ElementsAre(0));
}

TEST_F(FrameworkRunTest, ANodeHasToDoInBothCases) {
  Nominator nominator;
  Make().set_nominator(&nominator);
  NominateTo(&nominator, "more", 5);
  const auto feasible = [&] { return Names(framework_->FindFeasible(*state_, pod_).feasible); };
  b_->filter = [](const NodeInfo& node) {
    return node.pods().empty() ? Status() : Status(Code::kUnschedulable, "crowded");
  };
  EXPECT_THAT(feasible(), ElementsAre("n1", "n3"));
  b_->filter = [](const NodeInfo& node) {  // wants company, which may not come
    return node.name() == "n2" && node.pods().empty() ? Status(Code::kUnschedulable, "lonely")
                                                      : Status();
  };
  EXPECT_THAT(feasible(), ElementsAre("n1", "n3"));
}

TEST_F(FrameworkRunTest, TheNominatedNodeIsTriedFirst) {
  Nominator nominator;
  Make().set_nominator(&nominator);
  const auto find = [&] { return framework_->FindFeasible(*state_, pod_); };
  EXPECT_FALSE(find().by_nomination);
  NominateTo(&nominator, pod_.uid(), 0);
  const Feasibility found = find();
  EXPECT_THAT(Names(found.feasible), ElementsAre("n2"));
  EXPECT_TRUE(found.by_nomination);
  EXPECT_THAT(found.rejected, IsEmpty());
  // Full again, or gone: all nodes as ever.
  b_->filter = [](const NodeInfo& node) {
    return node.name() == "n2" ? Status(Code::kUnschedulable, "full") : Status();
  };
  EXPECT_THAT(Names(find().feasible), ElementsAre("n1", "n3"));
  NominateTo(&nominator, pod_.uid(), 0, "gone");
  EXPECT_THAT(Names(find().feasible), ElementsAre("n1", "n3"));
}

TEST_F(FrameworkRunTest, ScoresAreWeightedSums) {
  b_->score = [](const NodeInfo& node) { return node.name() == "n1" ? 50 : 0; };
  a_->score = [](const NodeInfo& node) { return node.name() == "n2" ? 2 : 1; };
  b_->normalize = [](std::span<std::int64_t> scores) {
    for (auto& score : scores) score *= 2;
    return Status();
  };
  Framework& framework = Make();
  const Feasibility found = framework.FindFeasible(*state_, pod_);
  std::vector<NodeScore> scores;
  ASSERT_TRUE(framework.Prioritize(*state_, pod_, found.feasible, &scores).ok());
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].score, 110);
  EXPECT_EQ(scores[1].score, 20);
  EXPECT_EQ(scores[2].score, 10);
  a_->pre_score = [] { return Status::Skip(); };
  ASSERT_TRUE(framework.Prioritize(*state_, pod_, found.feasible, &scores).ok());
  EXPECT_EQ(scores[1].score, 0);
}

TEST_F(FrameworkRunTest, AScoreOutOfRangeIsAnError) {
  a_->score = [](const NodeInfo&) { return 101; };
  Framework& framework = Make();
  const Feasibility found = framework.FindFeasible(*state_, pod_);
  std::vector<NodeScore> scores;
  const Status status = framework.Prioritize(*state_, pod_, found.feasible, &scores);
  EXPECT_EQ(status.code(), Code::kError);
  EXPECT_EQ(status.plugin(), "A");
  EXPECT_EQ(status.Message(),
            "running Score plugins: plugin \"A\" failed with: score 101 of n1 is not between 0 "
            "and 100");
}

TEST_F(FrameworkRunTest, APolicyThatRatherWaitsIsAskedNoScore) {
  b_->pre_score = [] { return Status(Code::kDeferred, "later"); };
  Framework& framework = Make();
  const Feasibility found = framework.FindFeasible(*state_, pod_);
  std::vector<NodeScore> scores;
  const Status status = framework.Prioritize(*state_, pod_, found.feasible, &scores);
  EXPECT_EQ(status.code(), Code::kDeferred);
  EXPECT_EQ(status.Message(), "later");
  EXPECT_THAT(calls_, testing::Not(testing::Contains("B.Score")));
}

TEST_F(FrameworkRunTest, ReserveIsUndoneInReverseOrder) {
  a_->reserve = Status(Code::kUnschedulable, "taken");
  Framework& framework = Make();
  const Status status = framework.RunReserve(*state_, pod_, "n1");
  EXPECT_EQ(status.plugin(), "A");
  framework.RunUnreserve(*state_, pod_, "n1");
  EXPECT_THAT(calls_, ElementsAre("B.Reserve", "A.Reserve", "A.Unreserve", "B.Unreserve"));
}

TEST_F(FrameworkRunTest, PermitAsksAllUntilOneSaysNo) {
  const auto permit = [&](PermitWaits* waits) {
    calls_.clear();
    return Make().RunPermit(*state_, pod_, "n1", waits);
  };
  PermitWaits waits = {{"stale", std::chrono::seconds(1)}};
  EXPECT_TRUE(permit(&waits).ok());
  EXPECT_THAT(waits, IsEmpty());

  b_->permit = Status(Code::kWait, "others");
  b_->permit_wait = std::chrono::seconds(3);
  EXPECT_EQ(permit(&waits).code(), Code::kWait);
  EXPECT_THAT(waits, ElementsAre(testing::Pair("B", std::chrono::seconds(3))));
  EXPECT_THAT(calls_, ElementsAre("B.Permit", "A.Permit"));

  a_->permit = Status(Code::kWait, "a day");
  a_->permit_wait = std::chrono::hours(24);
  EXPECT_EQ(permit(&waits).code(), Code::kWait);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[1].second, std::chrono::minutes(15));

  a_->permit = Status(Code::kUnschedulable, "not now");
  const Status rejected = permit(&waits);
  EXPECT_EQ(rejected.code(), Code::kUnschedulable);
  EXPECT_EQ(rejected.plugin(), "A");
  EXPECT_THAT(waits, IsEmpty());
}

TEST_F(FrameworkRunTest, WhatPermitMayNotSayIsAnError) {
  PermitWaits waits;
  for (const Code code : {Code::kError, Code::kSkip, Code::kDeferred}) {
    a_->permit = Status(code, "odd");
    const Status status = Make().RunPermit(*state_, pod_, "n1", &waits);
    EXPECT_EQ(status.code(), Code::kError);
    EXPECT_EQ(status.Message(), "running Permit plugin \"A\": odd");
  }
}

TEST_F(FrameworkRunTest, BindPluginsUntilOneDoesNotSkip) {
  b_->bind = Status::Skip();
  Framework& framework = Make();
  const std::string node = "n1";
  std::vector<Code> codes;
  const auto done = [&](const Status& status) { codes.push_back(status.code()); };
  framework.RunPreBindAndBind(*state_, pod_, node, done);
  EXPECT_THAT(calls_, ElementsAre("B.PreBind", "A.PreBind", "B.Bind", "A.Bind"));
  a_->bind = Status(Code::kError, "refused");
  Status said;
  framework.RunPreBindAndBind(*state_, pod_, node, [&](Status status) { said = status; });
  EXPECT_EQ(said.Message(), "running Bind plugin \"A\": refused");
  b_->pre_bind = Status(Code::kError, "volume");
  framework.RunPreBindAndBind(*state_, pod_, node, [&](Status status) { said = status; });
  EXPECT_EQ(said.Message(), "running PreBind plugin \"B\": volume");
  EXPECT_THAT(codes, ElementsAre(Code::kSuccess));
  EXPECT_THAT(recorder_.points, ElementsAre("PreBind:Success", "Bind:Success", "PreBind:Success",
                                            "Bind:Error", "PreBind:Error"));
}

TEST_F(FrameworkRunTest, PluginsAreTimedInSampledCyclesOnly) {
  Framework& framework = Make();
  framework.FindFeasible(*state_, pod_);
  EXPECT_THAT(recorder_.calls, IsEmpty());
  state_->sampled = true;
  const Feasibility found = framework.FindFeasible(*state_, pod_);
  std::vector<NodeScore> scores;
  framework.Prioritize(*state_, pod_, found.feasible, &scores);
  EXPECT_EQ(recorder_.calls["PreFilter.A"], 1u);
  EXPECT_EQ(recorder_.calls["Filter.A"], 3u);
  EXPECT_EQ(recorder_.calls["ScoreExtensionNormalize.B"], 1u);
}

TEST_F(FrameworkRunTest, APluginThatDoesNotSayIsHelpedByEveryEvent) {
  EXPECT_EQ(Make().EventsFor("A").size(), static_cast<std::size_t>(kClusterEvents));
  EXPECT_TRUE(framework_->HintOf("A")(Pod(), {ClusterEvent::kNodeAdd}));
  EXPECT_THAT(framework_->EventsFor("Nobody"), IsEmpty());
  EXPECT_FALSE(framework_->HintOf("Nobody")(Pod(), {ClusterEvent::kNodeAdd}));
}

}  // namespace
}  // namespace leadline

#include "leadline/plugins/dqn_score.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "plugin_fixture.h"

namespace leadline {
namespace {

using testing::HasSubstr;

// A network that likes idle CPUs: A(row) = -cpu_ratio; rejecting is worth `reject`.
std::shared_ptr<const WeightsFile> IdleCpuNetwork(float reject) {
  QNetworkShape shape;
  shape.row_width = 3;
  shape.context_width = static_cast<int>((*MakeEncoder("three"))->context_width());
  shape.hidden = {};
  shape.context_hidden = {};
  auto weights = std::make_shared<WeightsFile>();
  weights->info.encoder = "three";
  weights->network = QNetwork(shape);
  std::vector<float> parameters = weights->network.Parameters();
  parameters[0] = -1.0f;       // of the CPU ratio
  parameters.back() = reject;  // the bias of R, which comes last
  EXPECT_TRUE(weights->network.SetParameters(parameters));
  return weights;
}

class Outcomes : public OutcomeObserver {
 public:
  void OnOutcome(std::shared_ptr<const Outcome> outcome) override { all.push_back(outcome); }
  std::vector<std::shared_ptr<const Outcome>> all;
};

class DqnScoreTest : public PluginFixture {
 protected:
  DqnScoreTest() {
    options_.encoder = std::shared_ptr<const StateEncoder>(*MakeEncoder("three"));
    options_.model = IdleCpuNetwork(-100.0f);
    options_.usage = [this] {
      return UsageSnapshot{1, [this](std::string_view node) { return usage_[std::string(node)]; }};
    };
    options_.outcomes = &tracker_;
    for (const char* name : {"a", "b", "c"}) {
      nodes_.push_back(MakeNode(std::string(R"({"metadata":{"name":")") + name +
                                R"("},"status":{"allocatable":{"cpu":"4","memory":"8Gi",)"
                                R"("pods":"110"}}})"));
      feasible_.push_back(nodes_.back().get());
    }
    snapshot_ = Snapshot(1, {nodes_.begin(), nodes_.end()});
    Measure("a", 0.5);
    Measure("b", 0.1);
    Measure("c", 0.3);
  }

  void Measure(const std::string& node, double cpu) {
    usage_[node] = {cpu, 0.2, 5.0, Clock::Real().Now()};
  }

  // PreFilter and PreScore; the state is kept for what comes after.
  Status Decide(DqnScore& plugin, int deferrals = 0) {
    cycle_ = std::make_unique<CycleState>("d1", snapshot_, deferrals);
    PreFilterResult result;
    EXPECT_TRUE(plugin.PreFilter(*cycle_, pod_, &result).ok());
    return plugin.PreScore(*cycle_, pod_, feasible_);
  }

  std::vector<std::int64_t> Scores(DqnScore& plugin) {
    std::vector<std::int64_t> scores;
    for (std::size_t i = 0; i < feasible_.size(); ++i) {
      scores.push_back(*plugin.Score(*cycle_, pod_, *feasible_[i], i));
    }
    return scores;
  }

  DqnScoreOptions options_;
  std::map<std::string, NodeUsage> usage_;
  std::vector<std::shared_ptr<const NodeInfo>> nodes_;
  std::vector<const NodeInfo*> feasible_;
  PodInfo pod_ = MakePod(R"({"metadata":{"name":"p","namespace":"d","uid":"u"},"spec":{"containers":
      [{"name":"c","resources":{"requests":{"cpu":"500m","memory":"1Gi"}}}]}})");
  Outcomes outcomes_;
  OutcomeTracker tracker_{RewardCalculator::Create({}).value(),
                          {.window = std::chrono::seconds(30), .predict = true},
                          [](const std::string&) {
                            return std::array<double, 3>{0.1, 0.2, 0.3};
                          },
                          {&outcomes_}};
  std::unique_ptr<CycleState> cycle_;
};

TEST_F(DqnScoreTest, TheBestValueGetsTheBestScoreAndOrderIsKept) {
  DqnScore plugin(options_);
  ASSERT_TRUE(Decide(plugin).ok());
  const auto scores = Scores(plugin);
  EXPECT_EQ(scores[1], 100);
  EXPECT_GT(scores[2], scores[0]);
  EXPECT_LT(scores[2], 100);
  EXPECT_EQ(cycle_->learned->action, 1u);
  EXPECT_EQ(cycle_->learned->fallback, "");
  EXPECT_EQ(cycle_->learned->cluster.size(), 3u);
}

TEST_F(DqnScoreTest, WithoutAModelTheLeastAllocatedNodeIsTaken) {
  options_.model = nullptr;
  auto busy = std::make_shared<NodeInfo>(*nodes_[0]);
  busy->AddPod(std::make_shared<PodInfo>(pod_));
  nodes_[0] = busy;
  feasible_[0] = busy.get();
  auto busier = std::make_shared<NodeInfo>(*nodes_[1]);
  Place(*busier, R"({"metadata":{"name":"q","uid":"q"},"spec":{"containers":
      [{"name":"c","resources":{"requests":{"cpu":"3"}}}]}})");
  nodes_[1] = busier;
  feasible_[1] = busier.get();
  snapshot_ = Snapshot(2, {nodes_.begin(), nodes_.end()});
  DqnScore plugin(options_);
  ASSERT_TRUE(Decide(plugin).ok());
  EXPECT_EQ(cycle_->learned->fallback, "least_allocated");
  EXPECT_EQ(cycle_->learned->fallback_reason, "no_model");
  EXPECT_EQ(Scores(plugin)[2], 100);
}

TEST_F(DqnScoreTest, WithoutMeasurementsAFallbackDecidesAndSaysWhy) {
  usage_.clear();
  DqnScore plugin(options_);
  ASSERT_TRUE(Decide(plugin).ok());
  EXPECT_EQ(cycle_->learned->fallback_reason, "no_metrics");
}

TEST_F(DqnScoreTest, StaleMeasurementsOfMostNodesAreNotTrusted) {
  usage_["a"] = {};
  usage_["b"] = {};
  DqnScore plugin(options_);
  ASSERT_TRUE(Decide(plugin).ok());
  EXPECT_EQ(cycle_->learned->fallback_reason, "stale_metrics");
}

TEST_F(DqnScoreTest, RejectingIsADeferralUntilItsLimit) {
  options_.model = IdleCpuNetwork(+100.0f);
  DqnScore plugin(options_);
  const Status first = Decide(plugin);
  EXPECT_EQ(first.code(), Status::Code::kDeferred);
  EXPECT_THAT(first.Message(), HasSubstr("fits on 3 node(s), and the policy rather waits"));
  ASSERT_EQ(outcomes_.all.size(), 1u);
  EXPECT_EQ(outcomes_.all[0]->event, "Rejected");
  EXPECT_EQ(outcomes_.all[0]->action, 3u);
  EXPECT_TRUE(Decide(plugin, 3).ok());
  EXPECT_EQ(cycle_->learned->fallback_reason, "max_rejections");
  EXPECT_EQ(Scores(plugin)[1], 100);
}

TEST_F(DqnScoreTest, TheChainCanBeChangedWhileRunning) {
  options_.model = IdleCpuNetwork(+100.0f);
  DqnScore plugin(options_);
  EXPECT_EQ(Decide(plugin).code(), Status::Code::kDeferred);
  DecoderConfig config;
  config.chain = {{FallbackCondition::kRejected, FallbackChoice::kBestFeasible}};
  plugin.SetDecoder(config);
  EXPECT_TRUE(Decide(plugin).ok());
  EXPECT_EQ(cycle_->learned->fallback, "best_feasible");
}

TEST_F(DqnScoreTest, WhatWasExecutedIsWhatIsLearnedFrom) {
  DqnScore plugin(options_);
  ASSERT_TRUE(Decide(plugin).ok());
  ASSERT_TRUE(plugin.Reserve(*cycle_, pod_, "c").ok());  // other scores outvoted it
  plugin.PostBind(*cycle_, pod_, "c");
  ASSERT_EQ(outcomes_.all.size(), 1u);
  const Outcome& outcome = *outcomes_.all[0];
  EXPECT_EQ(outcome.action, 2u);
  EXPECT_EQ(outcome.node, "c");
  EXPECT_EQ(outcome.fallback, "other_scores");
  EXPECT_DOUBLE_EQ(outcome.state[0], 0.3);
  EXPECT_DOUBLE_EQ(outcome.state[2], 0.05);
  EXPECT_EQ(outcome.event, "predicted");
  EXPECT_GT(outcome.reward, 0.5);
}

TEST_F(DqnScoreTest, ExploresOnlyAmongFeasibleNodes) {
  options_.explore = true;
  std::vector<double> told;
  options_.on_epsilon = [&](double epsilon) { told.push_back(epsilon); };
  DqnScore plugin(options_);
  std::set<std::size_t> taken;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(Decide(plugin).ok());
    taken.insert(cycle_->learned->action);
  }
  EXPECT_EQ(taken, (std::set<std::size_t>{0, 1, 2}));
  EXPECT_EQ(told.front(), 1.0);
}

}  // namespace
}  // namespace leadline

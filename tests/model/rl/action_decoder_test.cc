#include "leadline/rl/action_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace leadline {
namespace {

using testing::HasSubstr;
using enum FallbackCondition;
using enum FallbackChoice;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kWait = 3;

// Node 2 has the most free; the network prefers node 1.
std::vector<NodeState> ThreeNodes() {
  std::vector<NodeState> nodes(3);
  for (std::size_t i = 0; i < 3; ++i) {
    nodes[i].allocatable_milli_cpu = 4000;
    nodes[i].allocatable_memory = 0x1p34;
    nodes[i].requested_milli_cpu = 3000 - 1000 * static_cast<double>(i);
  }
  return nodes;
}

class ActionDecoderTest : public testing::Test {
 protected:
  ActionDecoderTest() { Values({1, 5, 3, 0}); }
  void Values(std::vector<float> values) {
    values_ = std::move(values);
    input_.values = values_;
    input_.nodes = nodes_;
  }
  DecodedAction Decode(DecoderConfig config = {}) {
    return ActionDecoder(std::move(config)).Decode(input_, &rng_);
  }
  void ExpectFallback(const DecodedAction& got, std::size_t action, std::string_view by,
                      std::string_view why) {
    EXPECT_EQ(got.action, action);
    EXPECT_EQ(got.fallback, by);
    EXPECT_EQ(got.reason, why);
  }
  // Decodes often and compares how often each action came with the propensity it claimed.
  void ExpectHonestPropensities(const DecoderConfig& config) {
    constexpr int kRounds = 20000;
    std::map<std::size_t, int> taken;
    std::map<std::size_t, double> claimed;
    for (int i = 0; i < kRounds; ++i) {
      const DecodedAction got = Decode(config);
      ++taken[got.action];
      const auto [at, is_new] = claimed.emplace(got.action, got.propensity);
      ASSERT_TRUE(is_new || std::abs(at->second - got.propensity) < 1e-9)
          << "action " << got.action << " claims both " << at->second << " and " << got.propensity;
    }
    for (const auto& [action, count] : taken) {
      EXPECT_NEAR(count / double{kRounds}, claimed[action], 0.02) << "action " << action;
    }
  }

  Rng rng_{1};
  std::vector<float> values_;
  std::vector<NodeState> nodes_ = ThreeNodes();
  DecoderInput input_;
};

TEST_F(ActionDecoderTest, TakesTheNetworksBestNode) { ExpectFallback(Decode(), 1, "", ""); }

TEST_F(ActionDecoderTest, WithoutAModelTheMostFreeNodeIsTaken) {
  Values({});
  ExpectFallback(Decode(), 2, "least_allocated", "no_model");
}

TEST_F(ActionDecoderTest, WithoutOrWithStaleMetricsTheChainDecides) {
  input_.no_metrics = true;
  ExpectFallback(Decode(), 2, "least_allocated", "no_metrics");
  input_.no_metrics = false;
  input_.stale_metrics = true;
  ExpectFallback(Decode(), 2, "least_allocated", "stale_metrics");
}

TEST_F(ActionDecoderTest, OneValueThatIsNotFiniteIsEnough) {
  Values({1, kNan, 3, 0});
  ExpectFallback(Decode(), 2, "least_allocated", "non_finite");
  ExpectFallback(Decode({{{kNonFinite, kBestFeasible}}, 3}), 2, "best_feasible", "non_finite");
}

TEST_F(ActionDecoderTest, TheFirstRuleThatAppliesDecides) {
  input_.no_metrics = input_.stale_metrics = true;
  const DecoderConfig config = {{{kStaleMetrics, kReject}, {kNoMetrics, kBestFeasible}}, 3};
  ExpectFallback(Decode(config), kWait, "reject", "stale_metrics");
}

TEST_F(ActionDecoderTest, AConditionWithoutARuleLeavesItToTheNetwork) {
  input_.stale_metrics = true;
  ExpectFallback(Decode({{}, 3}), 1, "", "");
}

TEST_F(ActionDecoderTest, AChoiceThatCannotBeMadeIsPassedOver) {
  Values({});
  ExpectFallback(Decode({{{kNoModel, kBestFeasible}}, 3}), 2, "least_allocated", "no_model");
  Values({kNan, kNan, kNan, kNan});
  ExpectFallback(Decode({{}, 3}), 2, "least_allocated", "non_finite");
}

TEST_F(ActionDecoderTest, RejectsWhenTheNetworkWouldWait) {
  Values({1, 5, 3, 8});
  ExpectFallback(Decode(), kWait, "", "");
  ExpectFallback(Decode({{{kRejected, kLeastAllocated}}, 3}), 2, "least_allocated", "rejected");
}

TEST_F(ActionDecoderTest, NoPodStarvesByRejections) {
  Values({1, 5, 3, 8});
  input_.rejections = 3;
  ExpectFallback(Decode(), 1, "best_feasible", "max_rejections");
  const DecoderConfig always = {{{kNoMetrics, kReject}}, 3};
  input_.no_metrics = true;
  ExpectFallback(Decode(always), 1, "best_feasible", "max_rejections");
  Values({});
  ExpectFallback(Decode(always), 2, "least_allocated", "max_rejections");
}

TEST_F(ActionDecoderTest, AlwaysChoosesANodeOnceRejectionsAreUsedUp) {
  Rng rng(9);
  const FallbackCondition conditions[] = {kNoModel, kNoMetrics, kStaleMetrics, kNonFinite,
                                          kRejected};
  const FallbackChoice choices[] = {kLeastAllocated, kBestFeasible, kRandom, kReject};
  for (int round = 0; round < 5000; ++round) {
    DecoderConfig config = {{}, static_cast<int>(rng.Below(4))};
    for (auto rules = rng.Below(6); rules > 0; --rules) {
      config.chain.push_back({conditions[rng.Below(5)], choices[rng.Below(4)]});
    }
    std::vector<float> values(rng.Below(3) == 0 ? 0 : 4);
    for (float& value : values) value = rng.Below(4) == 0 ? kNan : static_cast<float>(rng.Normal());
    Values(values);
    input_.no_metrics = rng.Below(2) == 0;
    input_.stale_metrics = rng.Below(2) == 0;
    input_.epsilon = rng.Below(2) == 0 ? 0.0 : 0.3;
    input_.rejections = config.max_rejections;
    ASSERT_LT(Decode(config).action, kWait);
  }
}

TEST_F(ActionDecoderTest, ExploresAmongNodesOnly) {
  Values({1, 5, 3, 8});
  input_.epsilon = 1.0;
  for (int i = 0; i < 500; ++i) EXPECT_LT(Decode().action, kWait);
}

TEST_F(ActionDecoderTest, PropensitiesAreHonestWhenTheNetworkTakesANode) {
  input_.epsilon = 0.3;
  ExpectHonestPropensities({});
}

TEST_F(ActionDecoderTest, PropensitiesAreHonestWhenTheNetworkWouldWait) {
  Values({1, 5, 3, 8});
  input_.epsilon = 0.3;
  ExpectHonestPropensities({});
}

TEST_F(ActionDecoderTest, PropensitiesAreHonestWhenARejectionIsReplaced) {
  Values({1, 5, 3, 8});
  input_.epsilon = 0.3;
  for (FallbackChoice use : {kLeastAllocated, kBestFeasible, kRandom, kReject}) {
    ExpectHonestPropensities({{{kRejected, use}}, 3});
  }
}

TEST_F(ActionDecoderTest, PropensitiesAreHonestAfterTheLastRejection) {
  Values({1, 5, 3, 8});
  input_.epsilon = 0.3;
  input_.rejections = 3;
  ExpectHonestPropensities({});
}

TEST(FallbackNamesTest, GoBothWaysAndRefuseOthers) {
  for (auto condition : {kNoModel, kNoMetrics, kStaleMetrics, kNonFinite, kRejected}) {
    EXPECT_EQ(ParseFallbackCondition(FallbackConditionName(condition)).value(), condition);
  }
  for (auto choice : {kLeastAllocated, kBestFeasible, kRandom, kReject}) {
    EXPECT_EQ(ParseFallbackChoice(FallbackChoiceName(choice)).value(), choice);
  }
  EXPECT_THAT(ParseFallbackCondition("stale").error().message(), HasSubstr("stale_metrics"));
  EXPECT_THAT(ParseFallbackChoice("best").error().message(), HasSubstr("best_feasible"));
}

}  // namespace
}  // namespace leadline

#include "signal_round.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace leadline {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

constexpr double kNow = 1796100000;

Sample Series(const std::string& node, double value, const std::string& job = "x") {
  Sample sample;
  sample.labels = {{"job", job}, {"node", node}};
  sample.value = value;
  sample.time = kNow;
  return sample;
}

class JudgeAnswersTest : public testing::Test {
 protected:
  JudgeAnswersTest() : asked_(seconds(10000)) {
    config_ = DefaultSignal(MetricSignal::kCpu);
    config_.max_age = seconds(60);
  }

  // A value and the age of its sample.
  void Add(const std::string& node, double value, double age, const std::string& job = "x") {
    values_.samples.push_back(Series(node, value, job));
    timestamps_.samples.push_back(Series(node, kNow - age, job));
  }

  SignalRound Judge() const {
    NodeIdentity big;
    big.name = "big";
    big.cpu_milli = 8000;
    big.memory_bytes = 16LL << 30;
    NodeIdentity plain;
    plain.name = "plain";
    return JudgeAnswers(config_, values_, timestamps_, NodeMatcher({big, plain}), asked_);
  }

  MetricsSnapshot::Stored Only() const {
    const SignalRound round = Judge();
    EXPECT_EQ(round.nodes.size(), 1u);
    return round.nodes.empty() ? MetricsSnapshot::Stored() : round.nodes.begin()->second;
  }

  std::size_t Bad(MissingReason reason) const {
    return Judge().bad[static_cast<std::size_t>(reason)];
  }

  SteadyTime asked_;
  SignalConfig config_;
  QueryAnswer values_;
  QueryAnswer timestamps_;
};

TEST_F(JudgeAnswersTest, AgeIsTheEvaluationTimeLessTheSamplesTime) {
  Add("big", 0.25, 12);
  const auto stored = Only();
  EXPECT_EQ(stored.problem, MissingReason::kNone);
  EXPECT_EQ(stored.value, 0.25);
  EXPECT_EQ(stored.measured, asked_ - seconds(12));
}

TEST_F(JudgeAnswersTest, ConvertsUnits) {
  Add("big", 2, 0);
  config_.unit = MetricUnit::kCores;
  EXPECT_EQ(Only().value, 0.25);
  config_.unit = MetricUnit::kPercent;
  EXPECT_EQ(Only().value, 0.02);
  config_ = DefaultSignal(MetricSignal::kLatency);
  config_.unit = MetricUnit::kSeconds;
  EXPECT_EQ(Only().value, 2000);
  config_.unit = MetricUnit::kMilliseconds;
  EXPECT_EQ(Only().value, 2);
  config_ = DefaultSignal(MetricSignal::kMemory);
  config_.unit = MetricUnit::kBytes;
  values_.samples[0].value = 4.0 * (1LL << 30);
  EXPECT_EQ(Only().value, 0.25);
}

TEST_F(JudgeAnswersTest, AbsoluteUseNeedsACapacity) {
  Add("plain", 2, 0);
  config_.unit = MetricUnit::kCores;
  EXPECT_EQ(Only().problem, MissingReason::kNoCapacity);
}

TEST_F(JudgeAnswersTest, StaleNaNAndInfinite) {
  Add("big", 0.5, 61);
  Add("plain", std::nan(""), 0);
  const SignalRound round = Judge();
  EXPECT_EQ(round.nodes.at(0).problem, MissingReason::kStale);
  EXPECT_TRUE(round.nodes.at(0).has_value);
  EXPECT_EQ(round.nodes.at(1).problem, MissingReason::kNotANumber);
  EXPECT_FALSE(round.nodes.at(1).has_value);
  EXPECT_EQ(Bad(MissingReason::kStale), 1u);
  values_.samples[1].value = INFINITY;
  EXPECT_EQ(Bad(MissingReason::kNotANumber), 1u);
}

TEST_F(JudgeAnswersTest, WrongUnitsAreOutOfRange) {
  Add("big", 45, 0);  // percent taken for a ratio
  EXPECT_EQ(Only().problem, MissingReason::kOutOfRange);
  values_.samples[0].value = -0.1;
  EXPECT_EQ(Only().problem, MissingReason::kOutOfRange);
  config_ = DefaultSignal(MetricSignal::kMemory);
  config_.unit = MetricUnit::kBytes;
  values_.samples[0].value = 0.45;  // a ratio taken for bytes
  EXPECT_EQ(Only().problem, MissingReason::kOutOfRange);
  values_.samples[0].value = 0;  // an empty node may say so
  EXPECT_EQ(Only().problem, MissingReason::kNone);
  config_ = DefaultSignal(MetricSignal::kLatency);
  config_.unit = MetricUnit::kMilliseconds;
  values_.samples[0].value = 0.0003;  // seconds taken for milliseconds
  EXPECT_EQ(Only().problem, MissingReason::kOutOfRange);
}

TEST_F(JudgeAnswersTest, TimestampMissingOrInTheFuture) {
  values_.samples.push_back(Series("big", 0.5));
  EXPECT_EQ(Only().problem, MissingReason::kNoTimestamp);
  timestamps_.samples.push_back(Series("big", kNow + 61));
  EXPECT_EQ(Only().problem, MissingReason::kAheadOfTime);
  timestamps_.samples[0].value = kNow + 5;  // clocks differ a little: as if new
  EXPECT_EQ(Only().problem, MissingReason::kNone);
  EXPECT_EQ(Only().measured, asked_);
  timestamps_.samples[0].value = 0;  // 1970
  EXPECT_EQ(Only().problem, MissingReason::kStale);
}

TEST_F(JudgeAnswersTest, TimestampsAggregatedOtherwiseCountByNode) {
  values_.samples.push_back(Series("big", 0.5, "a"));
  timestamps_.samples.push_back(Series("big", kNow - 3, "b"));
  timestamps_.samples.push_back(Series("big", kNow - 9, "c"));
  EXPECT_EQ(Only().measured, asked_ - seconds(9));
}

TEST_F(JudgeAnswersTest, TheNewestOfSeveralWins) {
  Add("big", 0.9, 20, "old");
  Add("big", 0.1, 2, "new");
  Add("big", std::nan(""), 0, "broken");
  EXPECT_EQ(Only().problem, MissingReason::kNone);
  EXPECT_EQ(Only().value, 0.1);
  EXPECT_EQ(Bad(MissingReason::kDuplicate), 1u);
}

TEST_F(JudgeAnswersTest, EquallyNewAndDifferentIsNoValue) {
  Add("big", 0.9, 2, "a");
  Add("big", 0.1, 2, "b");
  Add("big", 0.1, 2, "c");
  Add("big", 0.3, 30, "old");
  EXPECT_EQ(Only().problem, MissingReason::kDuplicate);
  EXPECT_FALSE(Only().has_value);
}

TEST_F(JudgeAnswersTest, EquallyNewAndEqualIsAValue) {
  Add("big", 0.1, 2, "a");
  Add("big", 0.1, 2, "b");
  EXPECT_EQ(Only().value, 0.1);
  EXPECT_EQ(Bad(MissingReason::kDuplicate), 1u);
}

TEST_F(JudgeAnswersTest, StrangersAreCountedAndShown) {
  Add("nobody", 0.1, 0);
  const SignalRound round = Judge();
  EXPECT_EQ(round.without_node, 1u);
  EXPECT_THAT(round.examples, ElementsAre("{job=\"x\",node=\"nobody\"}"));
  EXPECT_TRUE(round.nodes.empty());
}

}  // namespace
}  // namespace leadline

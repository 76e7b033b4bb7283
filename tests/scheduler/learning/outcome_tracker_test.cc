#include "leadline/learning/outcome_tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::seconds;

class OutcomeTrackerTest : public testing::Test, public OutcomeObserver {
 protected:
  void OnOutcome(std::shared_ptr<const Outcome> outcome) override { outcomes_.push_back(outcome); }

  void Bind(const std::string& uid, const std::string& node = "n") {
    OpenOutcome open;
    open.outcome.uid = uid;
    open.outcome.node = node;
    open.placement.cpu_ratio = open.placement.mean_cpu_ratio = 0.4;
    open.placement.memory_ratio = open.placement.mean_memory_ratio = 0.4;
    open.placement.latency_ms = 50;
    tracker_.OnBound(std::move(open));
  }

  static Pod MakePod(const std::string& uid, const std::string& phase, const std::string& reason) {
    Pod pod;
    pod.metadata.uid = uid;
    pod.status.phase = phase;
    pod.status.reason = reason;
    return pod;
  }

  static Node MakeNode(bool ready) {
    Node node;
    node.metadata.name = "n";
    node.conditions = {{"Ready", ready ? "True" : "False", ""}};
    return node;
  }

  ManualClock clock_;
  std::vector<std::shared_ptr<const Outcome>> outcomes_;
  OutcomeTracker tracker_{RewardCalculator::Create({}).value(),
                          {.window = seconds(30), .predict = false},
                          [](const std::string&) {
                            return std::array<double, 3>{1, 2, 3};
                          },
                          {this},
                          clock_};
};

TEST_F(OutcomeTrackerTest, AScheduledPodIsPaidWhenItsWindowIsOver) {
  Bind("u");
  clock_.Advance(seconds(29));
  tracker_.Tick();
  EXPECT_TRUE(outcomes_.empty());
  clock_.Advance(seconds(1));
  tracker_.Tick();
  ASSERT_EQ(outcomes_.size(), 1u);
  EXPECT_EQ(outcomes_[0]->event, "PodScheduled");
  EXPECT_FALSE(outcomes_[0]->done);  // cut, not ended
  EXPECT_NEAR(outcomes_[0]->reward, 1.0 + 0.5 - 0.8 * 0.5, 1e-9);
  EXPECT_EQ(outcomes_[0]->next_state[2], 3);
}

TEST_F(OutcomeTrackerTest, FailuresCostWhatTheirKindCosts) {
  const double scheduled = 1.1;
  const std::vector<std::tuple<std::string, std::string, double>> cases = {
      {"OutOfcpu", "InsufficientResources", -2.0},
      {"Evicted", "InsufficientResources", -2.0},
      {"NodeLost", "NetworkUnreachable", -1.5},
      {"Error", "PodFailed", -0.5}};
  for (const auto& [reason, event, cost] : cases) {
    outcomes_.clear();
    Bind("u");
    tracker_.OnPodUpdate(MakePod("u", "Failed", reason));
    ASSERT_EQ(outcomes_.size(), 1u) << reason;
    EXPECT_EQ(outcomes_[0]->event, event);
    EXPECT_TRUE(outcomes_[0]->done);
    EXPECT_NEAR(outcomes_[0]->reward, scheduled + cost, 1e-9) << reason;
  }
}

TEST_F(OutcomeTrackerTest, ACrashLoopIsPaidOnce) {
  Bind("u");
  clock_.Advance(seconds(31));
  tracker_.Tick();
  for (int i = 0; i < 5; ++i) tracker_.OnPodUpdate(MakePod("u", "Running", ""));
  clock_.Advance(seconds(31));
  tracker_.Tick();
  EXPECT_EQ(outcomes_.size(), 1u);
  EXPECT_EQ(tracker_.open(), 0u);
}

TEST_F(OutcomeTrackerTest, AFlappingNodeIsPaidOnceInTenMinutes) {
  for (int i = 0; i < 3; ++i) {
    Bind("u" + std::to_string(i));
    tracker_.OnNodeUpdate(MakeNode(false), MakeNode(true));
    clock_.Advance(seconds(31));
    tracker_.Tick();
  }
  ASSERT_EQ(outcomes_.size(), 3u);
  EXPECT_NEAR(outcomes_[0]->reward - outcomes_[1]->reward, 0.3, 1e-9);
  EXPECT_NEAR(outcomes_[1]->reward, outcomes_[2]->reward, 1e-9);
}

TEST_F(OutcomeTrackerTest, ADeletedPodEndsItsOutcome) {
  Bind("u");
  tracker_.OnPodDelete(MakePod("u", "Running", ""));
  ASSERT_EQ(outcomes_.size(), 1u);
  EXPECT_EQ(outcomes_[0]->event, "PodDeleted");
  EXPECT_TRUE(outcomes_[0]->done);
}

TEST_F(OutcomeTrackerTest, OtherPodsDoNotMatter) {
  tracker_.OnPodUpdate(MakePod("stranger", "Failed", "Error"));
  tracker_.OnPodDelete(MakePod("stranger", "Failed", "Error"));
  EXPECT_TRUE(outcomes_.empty());
}

}  // namespace
}  // namespace leadline

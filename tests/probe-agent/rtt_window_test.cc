#include "leadline/probe/rtt_window.h"

#include <gtest/gtest.h>

#include "leadline/base/rng.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SteadyTime At(int s) { return SteadyTime{} + seconds(s); }

TEST(RttWindow, SaysNothingBeforeAProbeHasEnded) {
  RttWindow window(seconds(60));
  const RttSummary summary = window.Summarize(At(0));
  EXPECT_EQ(summary.probes(), 0u);
  EXPECT_EQ(summary.LossRatio(), std::nullopt);
}

TEST(RttWindow, MeanAndQuantilesAreOfTheAnswersAlone) {
  RttWindow window(seconds(1000));
  for (int i = 100; i >= 1; --i) window.AddAnswer(At(1), milliseconds(i));
  for (int i = 0; i < 25; ++i) window.AddLoss(At(1));
  const RttSummary summary = window.Summarize(At(2));
  EXPECT_EQ(summary.answered, 100u);
  EXPECT_EQ(summary.lost, 25u);
  EXPECT_DOUBLE_EQ(summary.LossRatio().value(), 0.2);
  EXPECT_NEAR(summary.mean_seconds, 0.0505, 1e-12);
  EXPECT_DOUBLE_EQ(summary.p50_seconds, 0.050);
  EXPECT_DOUBLE_EQ(summary.p99_seconds, 0.099);
}

TEST(RttWindow, OneAnswerIsEveryQuantile) {
  RttWindow window(seconds(60));
  window.AddAnswer(At(0), milliseconds(7));
  const RttSummary summary = window.Summarize(At(0));
  EXPECT_DOUBLE_EQ(summary.p50_seconds, 0.007);
  EXPECT_DOUBLE_EQ(summary.p99_seconds, 0.007);
  EXPECT_EQ(window.jitter_seconds(), 0);
}

TEST(RttWindow, AllLostIsALossOfOneAndNoTime) {
  RttWindow window(seconds(60));
  window.AddLoss(At(0));
  window.AddLoss(At(1));
  const RttSummary summary = window.Summarize(At(1));
  EXPECT_EQ(summary.LossRatio(), 1.0);
  EXPECT_EQ(summary.mean_seconds, 0);
}

TEST(RttWindow, ForgetsWhatIsOlderThanItsLength) {
  RttWindow window(seconds(60));
  window.AddLoss(At(0));
  window.AddAnswer(At(30), milliseconds(5));
  EXPECT_EQ(window.Summarize(At(60)).LossRatio(), 0.5);  // exactly as old: still in
  EXPECT_EQ(window.Summarize(At(61)).LossRatio(), 0.0);
  EXPECT_EQ(window.Summarize(At(91)).LossRatio(), std::nullopt);
}

TEST(RttWindow, LossStaysWithinZeroAndOne) {
  RttWindow window(seconds(10));
  Rng rng(11);
  for (int second = 0; second < 2000; ++second) {
    if (rng.Uniform() < 0.4) window.AddLoss(At(second));
    if (rng.Uniform() < 0.4) window.AddAnswer(At(second), milliseconds(1 + rng.Below(50)));
    const RttSummary summary = window.Summarize(At(second));
    const double loss = summary.LossRatio().value_or(0);
    ASSERT_GE(loss, 0);
    ASSERT_LE(loss, 1);
    ASSERT_LE(summary.probes(), 22u);
    ASSERT_LE(summary.p50_seconds, summary.p99_seconds);
  }
}

// The formula of RFC 3550, section 6.4.1, by hand: J += (|D| - J) / 16.
TEST(RttWindow, JitterIsTheSmoothedDeviation) {
  RttWindow window(seconds(1));
  window.AddAnswer(At(0), milliseconds(10));
  window.AddAnswer(At(1), milliseconds(26));
  EXPECT_NEAR(window.jitter_seconds(), 0.001, 1e-12);
  window.AddLoss(At(2));  // a lost packet has no time to differ by
  window.AddAnswer(At(3), milliseconds(10));
  EXPECT_NEAR(window.jitter_seconds(), 0.001 + (0.016 - 0.001) / 16, 1e-12);
}

TEST(RttWindow, JitterIgnoresASteadyDelay) {
  RttWindow window(seconds(60));
  for (int i = 0; i < 50; ++i) window.AddAnswer(At(i), milliseconds(80));
  EXPECT_NEAR(window.jitter_seconds(), 0, 1e-12);
}

}  // namespace
}  // namespace leadline

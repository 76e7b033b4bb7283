#include "leadline/telemetry/metrics_snapshot.h"

#include <gtest/gtest.h>

#include <set>

#include "change_log.h"
#include "poll_schedule.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const SteadyTime kStart{seconds(1000)};

MetricsSnapshot Snapshot(MetricsSnapshot::Stored cpu) {
  MetricsSnapshot::Nodes nodes;
  nodes["a"][0] = cpu;
  return MetricsSnapshot(std::move(nodes), {seconds(60), seconds(60), Duration(0), Duration(0)});
}

TEST(MetricsSnapshotTest, AValueAgesWhilePrometheusIsSilent) {
  const auto snapshot = Snapshot({true, 0.5, kStart, MissingReason::kNone});
  const Reading fresh = snapshot.Get("a", MetricSignal::kCpu, kStart + seconds(60));
  EXPECT_TRUE(fresh.ok());
  EXPECT_EQ(fresh.value, 0.5);
  EXPECT_EQ(fresh.age, seconds(60));
  const Reading old = snapshot.Get("a", MetricSignal::kCpu, kStart + seconds(61));
  EXPECT_EQ(old.missing, MissingReason::kStale);
}

TEST(MetricsSnapshotTest, ALaterProblemShowsOnceTheValueIsStale) {
  const auto snapshot = Snapshot({true, 0.5, kStart, MissingReason::kNotANumber});
  EXPECT_TRUE(snapshot.Get("a", MetricSignal::kCpu, kStart + seconds(1)).ok());
  EXPECT_EQ(snapshot.Get("a", MetricSignal::kCpu, kStart + seconds(61)).missing,
            MissingReason::kNotANumber);
}

TEST(MetricsSnapshotTest, EveryKindOfMissing) {
  const auto snapshot = Snapshot({true, 0.5, kStart, MissingReason::kNone});
  EXPECT_EQ(snapshot.Get("b", MetricSignal::kCpu, kStart).missing, MissingReason::kUnknownNode);
  EXPECT_EQ(snapshot.Get("a", MetricSignal::kMemory, kStart).missing, MissingReason::kNoAnswer);
  EXPECT_EQ(snapshot.Get("a", MetricSignal::kLoss, kStart).missing, MissingReason::kNotConfigured);
  const NodeReadings all = snapshot.GetAll("a", kStart);
  EXPECT_TRUE(all[0].ok());
  EXPECT_EQ(all[1].missing, MissingReason::kNoAnswer);
  const MetricsSnapshot empty({}, {seconds(60), Duration(0), Duration(0), Duration(0)});
  EXPECT_EQ(empty.Get("a", MetricSignal::kCpu, kStart).missing, MissingReason::kNoAnswer);
  EXPECT_EQ(empty.Get("a", MetricSignal::kLoss, kStart).missing, MissingReason::kNotConfigured);
}

TEST(MetricsSnapshotTest, ReasonsHaveDifferentNames) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kMissingReasons; ++i) {
    names.insert(MissingReasonName(static_cast<MissingReason>(i)));
  }
  EXPECT_EQ(names.size(), kMissingReasons);
}

TEST(PollScheduleTest, BacksOffAndPauses) {
  MetricsConfig config;
  config.interval = seconds(5);
  config.max_backoff = seconds(30);
  config.pause_after_refusal = minutes(1);
  PollSchedule schedule(config, 1);
  EXPECT_EQ(schedule.AfterSuccess(), seconds(5));
  Duration longest{0};
  for (int i = 0; i < 20; ++i) {
    const Duration wait = schedule.AfterError(ErrorCode::kUnavailable);
    EXPECT_GE(wait, seconds(8));
    EXPECT_LE(wait, seconds(30));
    longest = std::max(longest, wait);
  }
  EXPECT_GE(longest, seconds(24));
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kPermissionDenied, ErrorCode::kNotFound}) {
    EXPECT_EQ(schedule.AfterError(code), minutes(1));
  }
  schedule.AfterSuccess();
  EXPECT_LE(schedule.AfterError(ErrorCode::kTimeout), seconds(10));
}

TEST(ChangeLogTest, SaysAThingOnceAndChangesOfKindAtOnce) {
  ChangeLog log;
  EXPECT_TRUE(log.Changed(1, "down", kStart));
  EXPECT_FALSE(log.Changed(1, "down", kStart + minutes(60)));
  EXPECT_FALSE(log.Changed(1, "down, port 2", kStart + minutes(1)));
  EXPECT_TRUE(log.Changed(1, "down, port 2", kStart + minutes(6)));
  EXPECT_TRUE(log.Changed(2, "refused", kStart + minutes(6)));
  EXPECT_TRUE(log.Changed(1, "down", kStart + minutes(6)));
}

}  // namespace
}  // namespace leadline

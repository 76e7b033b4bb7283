#include "leadline/queue/scheduling_queue.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

std::shared_ptr<const Pod> MakePod(const std::string& name, int priority = 0) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = name;
  pod->metadata.uid = name;
  pod->spec.priority = priority;
  return pod;
}

class SchedulingQueueTest : public testing::Test {
 protected:
  SchedulingQueueTest() : queue_({}, Hooks(), clock_) {}

  SchedulingQueueHooks Hooks() {
    SchedulingQueueHooks hooks;
    hooks.less = [](const QueuedPodInfo& a, const QueuedPodInfo& b) {
      const int pa = a.pod->pod->Priority(), pb = b.pod->pod->Priority();
      return pa != pb ? pa > pb : a.queued_at < b.queued_at;
    };
    hooks.may_enqueue = [](const Pod& pod) { return pod.spec.scheduling_gates.empty(); };
    hooks.helps = [](const Pod&, std::string_view plugin, ClusterEvent event) {
      return plugin == "Fit" && event == ClusterEvent::kAssignedPodDelete;
    };
    hooks.on_enter = [this](QueueName queue, std::string_view event) {
      entered_.push_back(std::string(QueueNameLabel(queue)) + ":" + std::string(event));
    };
    return hooks;
  }

  SchedulingQueue::Entry Pop() { return queue_.Pop(milliseconds(0)); }
  std::string PopName() {
    const auto entry = Pop();
    return entry ? entry->pod->uid() : "";
  }

  ManualClock clock_;
  std::vector<std::string> entered_;
  SchedulingQueue queue_;
};

TEST_F(SchedulingQueueTest, PriorityThenAge) {
  queue_.Set(MakePod("old"));
  clock_.Advance(seconds(1));
  queue_.Set(MakePod("young"));
  queue_.Set(MakePod("urgent", 10));
  EXPECT_EQ(PopName(), "urgent");
  EXPECT_EQ(PopName(), "old");
  EXPECT_EQ(PopName(), "young");
  EXPECT_EQ(PopName(), "");
  EXPECT_EQ(queue_.sizes().in_flight, 3u);
}

TEST_F(SchedulingQueueTest, BackoffDoublesUpToItsMaximum) {
  queue_.Set(MakePod("p"));
  for (int expected : {1, 2, 4, 8, 10, 10}) {
    const auto entry = Pop();
    ASSERT_TRUE(entry);
    queue_.AddUnschedulable(entry, {});
    clock_.Advance(seconds(expected) - milliseconds(1));
    EXPECT_FALSE(Pop()) << expected;
    clock_.Advance(milliseconds(1));
    queue_.Flush();
    EXPECT_EQ(queue_.sizes().active, 1u) << expected;
  }
}

TEST_F(SchedulingQueueTest, OnlyAnEventThatHelpsWakes) {
  queue_.Set(MakePod("p"));
  queue_.AddUnschedulable(Pop(), {"Fit"});
  clock_.Advance(seconds(60));
  queue_.OnEvent(ClusterEvent::kNodeLabelUpdate);
  EXPECT_FALSE(Pop());
  queue_.OnEvent(ClusterEvent::kAssignedPodDelete);
  EXPECT_EQ(PopName(), "p");
  EXPECT_THAT(entered_,
              ElementsAre("active:UnscheduledPodAdd", "unschedulable:ScheduleAttemptFailure",
                          "active:AssignedPodDelete"));
}

TEST_F(SchedulingQueueTest, AnEventDuringTheFlightIsNotLost) {
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.OnEvent(ClusterEvent::kAssignedPodDelete);
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(queue_.sizes().backoff, 1u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, PatienceEndsAfterFiveMinutes) {
  queue_.Set(MakePod("p"));
  queue_.AddUnschedulable(Pop(), {"Fit"});
  clock_.Advance(seconds(299));
  EXPECT_FALSE(Pop());
  clock_.Advance(seconds(31));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, AGatedPodWaitsForItsGate) {
  auto gated = std::make_shared<Pod>(*MakePod("p"));
  gated->spec.scheduling_gates = {"g"};
  queue_.Set(gated);
  EXPECT_EQ(queue_.sizes().gated, 1u);
  EXPECT_FALSE(Pop());
  queue_.Set(MakePod("p"));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, ADeferredPodOnlyWaitsItsBackoff) {
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.AddDeferred(entry);
  EXPECT_EQ(entry->deferrals, 1);
  EXPECT_EQ(queue_.sizes().backoff, 1u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, ADeletedPodDoesNotComeBack) {
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.Remove("p");
  queue_.AddUnschedulable(entry, {});
  clock_.Advance(seconds(60));
  EXPECT_FALSE(Pop());
  queue_.Set(MakePod("q"));
  queue_.Remove("q");
  EXPECT_FALSE(Pop());
}

TEST_F(SchedulingQueueTest, APodChangedInFlightIsTriedAsItIsNow) {
  queue_.Set(MakePod("p", 1));
  const auto entry = Pop();
  queue_.Set(MakePod("p", 2));
  queue_.AddUnschedulable(entry, {});
  clock_.Advance(seconds(1));
  EXPECT_EQ(Pop()->pod->pod->Priority(), 2);
}

TEST_F(SchedulingQueueTest, CloseWakesPop) {
  std::thread closer([this] { queue_.Close(); });
  EXPECT_FALSE(queue_.Pop(seconds(60)));
  closer.join();
}

TEST_F(SchedulingQueueTest, CountsByPluginAndProfile) {
  queue_.Set(MakePod("p"));
  queue_.AddUnschedulable(Pop(), {"Fit", "Taint"});
  const auto counts = queue_.UnschedulableByPlugin();
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_EQ(counts.at({"Fit", ""}), 1u);
}

}  // namespace
}  // namespace leadline

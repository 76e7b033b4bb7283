// Order, deletion, what callers see of the queue.
#include "leadline/queue/scheduling_queue.h"

#include <thread>

#include "queue_fixture.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using SchedulingQueueTest = QueueFixture;

TEST_F(SchedulingQueueTest, PriorityThenAge) {
  queue_.Set(NewPod("old"));
  clock_.Advance(seconds(1));
  queue_.Set(NewPod("young"));
  queue_.Set(NewPod("urgent", 10));
  EXPECT_EQ(PopName(), "urgent");
  EXPECT_EQ(PopName(), "old");
  EXPECT_EQ(PopName(), "young");
  EXPECT_EQ(PopName(), "");
  EXPECT_EQ(Sizes(), "0/0/0/0/3");
}

TEST_F(SchedulingQueueTest, APodThatFailedIsAsOldAsItsFailure) {
  queue_.Set(NewPod("failed"));
  const auto failed = Pop();
  clock_.Advance(seconds(1));
  queue_.Set(NewPod("new"));
  clock_.Advance(seconds(1));
  queue_.AddUnschedulable(failed, {});
  clock_.Advance(seconds(3));
  queue_.Flush();
  EXPECT_EQ(Sizes(), "2/0/0/0/0");
  EXPECT_EQ(PopName(), "new");
  EXPECT_EQ(PopName(), "failed");
}

TEST_F(SchedulingQueueTest, AnotherPriorityIsAnotherPlace) {
  queue_.Set(NewPod("a", 1));
  queue_.Set(NewPod("b", 2));
  queue_.Set(NewPod("a", 3));
  EXPECT_EQ(PopName(), "a");
  EXPECT_EQ(PopName(), "b");
  EXPECT_EQ(PopName(), "");
}

TEST_F(SchedulingQueueTest, WaitingInTheActiveQueueCountsAsScheduling) {
  queue_.Set(NewPod("p"));
  const SteadyTime came = clock_.SteadyNow();
  clock_.Advance(seconds(7));
  EXPECT_EQ(*Pop()->initial_attempt_at, came);
}

TEST_F(SchedulingQueueTest, ADeletedPodDoesNotComeBack) {
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.Remove("p");
  queue_.AddUnschedulable(entry, {});
  EXPECT_EQ(Sizes(), "0/0/0/0/0");
  AddTurnedDown(NewPod("parked"));
  AddTurnedDown(NewPod("backing-off"), {});
  queue_.Set(NewPod("active"));
  queue_.Set(GatedPod("gated"));
  EXPECT_EQ(Sizes(), "1/1/1/1/0");
  for (const char* uid : {"parked", "backing-off", "active", "gated"}) queue_.Remove(uid);
  EXPECT_EQ(Sizes(), "0/0/0/0/0");
  clock_.Advance(std::chrono::minutes(6));
  EXPECT_FALSE(Pop());
}

TEST_F(SchedulingQueueTest, APodMadeAgainHasNothingToDoWithTheFlightOfTheFirst) {
  queue_.Set(NewPod("p"));
  const auto first = Pop();
  queue_.Remove("p");
  queue_.Set(NewPod("p"));
  queue_.AddUnschedulable(first, {"Fit"});
  EXPECT_EQ(Sizes(), "1/0/0/0/0");
}

TEST_F(SchedulingQueueTest, ANewStatusIsKnownAndMovesNothing) {
  auto pod = NewPod("p");
  pod->status.phase = "Pending";
  queue_.Refresh(pod);  // not known
  EXPECT_FALSE(queue_.Contains("p"));
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.Refresh(pod);
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
  EXPECT_EQ(entry->pod->pod->status.phase, "Pending");
  pod = std::make_shared<Pod>(*pod);
  pod->status.phase = "Later";
  queue_.Refresh(pod);
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
  EXPECT_EQ(entry->pod->pod->status.phase, "Later");
}

TEST_F(SchedulingQueueTest, CountsByPluginAndProfile) {
  AddTurnedDown(NewPod("p"), {"Fit", "Taint"});
  queue_.Set(GatedPod("g"));
  const auto counts = queue_.UnschedulableByPlugin();
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts.at({"Fit", ""}), 1u);
  EXPECT_EQ(counts.at({"Gates", ""}), 1u);
}

TEST_F(SchedulingQueueTest, CloseWakesPop) {
  std::thread closer([this] { queue_.Close(); });
  EXPECT_FALSE(queue_.Pop(seconds(60)));
  closer.join();
}

TEST_F(SchedulingQueueTest, AWaitingPopIsWokenByWhatComes) {
  SchedulingQueueOptions options;
  options.initial_backoff = options.backoff_window = milliseconds(20);
  SchedulingQueue queue(options, TestHooks());
  std::thread adder([&queue] { queue.Set(NewPod("p")); });
  const auto before = std::chrono::steady_clock::now();
  const auto entry = queue.Pop(seconds(60));
  adder.join();
  ASSERT_TRUE(entry);
  queue.AddUnschedulable(entry, {});
  EXPECT_TRUE(queue.Pop(seconds(60)));  // when its backoff ends
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(50));
  EXPECT_FALSE(queue.Pop(milliseconds(0)));
}

}  // namespace
}  // namespace leadline

#include "leadline/queue/scheduling_queue.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/base/rng.h"

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

ClusterChange Change(ClusterEvent event, std::shared_ptr<const Pod> pod = nullptr) {
  return {event, pod, pod, {}, {}};
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
    hooks.events_of = [](std::string_view plugin) {
      ClusterEvents events;
      events.set(static_cast<std::size_t>(ClusterEvent::kAssignedPodDelete), plugin == "Fit");
      return events;
    };
    // By name: the change of a Pod helps the one with its UID, and a change of none helps all.
    hooks.helps = [](const Pod& waiting, std::string_view, const ClusterChange& change) {
      EXPECT_EQ(change.event, ClusterEvent::kAssignedPodDelete);
      return change.pod == nullptr || change.pod->metadata.uid == waiting.metadata.uid;
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
  queue_.OnEvent(Change(ClusterEvent::kNodeLabelUpdate));
  EXPECT_FALSE(Pop());
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_EQ(PopName(), "p");
  EXPECT_THAT(entered_,
              ElementsAre("active:UnscheduledPodAdd", "unschedulable:ScheduleAttemptFailure",
                          "active:AssignedPodDelete"));
}

TEST_F(SchedulingQueueTest, AnEventDuringTheFlightIsNotLost) {
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(queue_.sizes().backoff, 1u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, AHintWakesThePodItIsAboutAlone) {
  for (const char* name : {"a", "b"}) queue_.Set(MakePod(name));
  for (int i = 0; i < 2; ++i) queue_.AddUnschedulable(Pop(), {"Fit"});
  clock_.Advance(seconds(60));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, MakePod("b")));
  EXPECT_EQ(PopName(), "b");
  EXPECT_EQ(PopName(), "");
}

TEST_F(SchedulingQueueTest, EachFlightIsToldItsOwnChanges) {
  queue_.Set(MakePod("a"));
  const auto a = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, MakePod("b")));
  queue_.Set(MakePod("b"));
  const auto b = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, MakePod("a")));
  queue_.AddUnschedulable(b, {"Fit"});  // its change came before it was popped
  EXPECT_EQ(queue_.sizes().unschedulable, 1u);
  queue_.AddUnschedulable(a, {"Fit"});
  EXPECT_EQ(queue_.sizes().backoff, 1u);
}

TEST_F(SchedulingQueueTest, TooManyChangesInFlightAreTakenForHelp) {
  queue_.Set(MakePod("a"));
  const auto a = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, MakePod("a")));
  for (int i = 0; i < 100'001; ++i) queue_.OnEvent(Change(ClusterEvent::kNodeAdd));
  queue_.AddUnschedulable(a, {"Fit"});
  EXPECT_EQ(queue_.sizes().backoff, 1u);
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

TEST_F(SchedulingQueueTest, APodChangedInFlightNeedsNoEvent) {
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.Set(MakePod("p", 1));
  queue_.AddUnschedulable(entry, {"Fit"});
  clock_.Advance(seconds(1));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(SchedulingQueueTest, ANewStatusIsKnownAndMovesNothing) {
  auto pod = std::make_shared<Pod>(*MakePod("p"));
  pod->status.phase = "Pending";
  queue_.Refresh(pod);  // not known
  EXPECT_FALSE(queue_.Contains("p"));
  queue_.Set(MakePod("p"));
  const auto entry = Pop();
  queue_.Refresh(pod);
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(queue_.sizes().unschedulable, 1u);
  EXPECT_EQ(entry->pod->pod->status.phase, "Pending");
  pod = std::make_shared<Pod>(*pod);
  pod->status.phase = "Later";
  queue_.Refresh(pod);
  EXPECT_EQ(queue_.sizes().unschedulable, 1u);
  EXPECT_EQ(entry->pod->pod->status.phase, "Later");
}

TEST_F(SchedulingQueueTest, AChangedPodInBackoffStaysThereOnce) {
  queue_.Set(MakePod("p"));
  queue_.AddUnschedulable(Pop(), {});
  queue_.Set(MakePod("p", 3));
  EXPECT_EQ(queue_.sizes().backoff, 1u);
  clock_.Advance(seconds(1));
  EXPECT_EQ(PopName(), "p");
  EXPECT_FALSE(Pop());
}

// Random calls: every Pod is in exactly one place, and none is lost.
TEST_F(SchedulingQueueTest, NothingIsLostInAnyOrderOfCalls) {
  Rng rng(3);
  std::set<std::string> known;
  std::map<std::string, SchedulingQueue::Entry> flying;
  for (int step = 0; step < 20'000; ++step) {
    const std::string uid = "p" + std::to_string(rng.Below(30));
    switch (rng.Below(8)) {
      case 0:
        queue_.Set(MakePod(uid, static_cast<int>(rng.Below(3))));
        known.insert(uid);
        break;
      case 1:
        queue_.Remove(uid);
        known.erase(uid);
        flying.erase(uid);
        break;
      case 2:
      case 3:
        if (const auto entry = Pop()) {
          ASSERT_TRUE(flying.emplace(entry->pod->uid(), entry).second);
        }
        break;
      case 4:
        if (flying.empty()) break;
        queue_.AddUnschedulable(flying.begin()->second, rng.Below(2) == 0
                                                            ? std::set<std::string>{"Fit"}
                                                            : std::set<std::string>());
        flying.erase(flying.begin());
        break;
      case 5:
        if (flying.empty() || rng.Below(4) != 0) break;
        known.erase(flying.begin()->first);
        queue_.Done(flying.begin()->first);
        flying.erase(flying.begin());
        break;
      case 6:
        queue_.OnEvent(
            Change(rng.Below(2) == 0 ? ClusterEvent::kAssignedPodDelete : ClusterEvent::kNodeAdd));
        break;
      default:
        clock_.Advance(milliseconds(rng.Below(3000)));
    }
    const auto sizes = queue_.sizes();
    ASSERT_EQ(sizes.in_flight, flying.size());
    ASSERT_EQ(sizes.gated, 0u);
    ASSERT_EQ(sizes.active + sizes.backoff + sizes.unschedulable + flying.size(), known.size());
  }
  clock_.Advance(std::chrono::minutes(6));
  queue_.Flush();
  std::size_t popped = 0;
  while (Pop()) ++popped;
  EXPECT_EQ(popped + flying.size(), known.size());
}

TEST_F(SchedulingQueueTest, PopWakesWhenABackoffEnds) {
  SchedulingQueueOptions options;
  options.initial_backoff = milliseconds(20);
  SchedulingQueue queue(options, Hooks());
  queue.Set(MakePod("p"));
  queue.AddUnschedulable(queue.Pop(seconds(60)), {});
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(queue.Pop(seconds(60)));
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(50));
  EXPECT_FALSE(queue.Pop(milliseconds(0)));
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

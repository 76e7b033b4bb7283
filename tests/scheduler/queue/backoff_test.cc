// How long a Pod that failed waits at least, and when it need not.
#include "queue_fixture.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

using BackoffTest = QueueFixture;

TEST_F(BackoffTest, DoublesUpToItsMaximumAndEndsWithTheWindow) {
  queue_.Set(NewPod("p"));
  for (int expected : {1, 2, 4, 8, 10, 10}) {
    const auto entry = Pop();
    ASSERT_TRUE(entry);
    queue_.AddUnschedulable(entry, {});
    clock_.Advance(seconds(expected + 1) - milliseconds(1));
    EXPECT_FALSE(Pop()) << expected;
    clock_.Advance(milliseconds(1));
    queue_.Flush();
    EXPECT_EQ(Sizes(), "1/0/0/0/0") << expected;
  }
}

TEST_F(BackoffTest, ErrorsAreCountedSinceTheLastRejection) {
  queue_.Set(NewPod("p"));
  for (int i = 0; i < 3; ++i) {
    queue_.AddUnschedulable(Pop(), {});
    clock_.Advance(seconds(11));
  }
  const auto entry = Pop();
  EXPECT_EQ(entry->consecutive_errors, 3);
  queue_.AddUnschedulable(entry, {"Fit"});  // turned down for the first time: a second
  EXPECT_EQ(entry->consecutive_errors, 0);
  EXPECT_EQ(entry->rejections, 1);
  clock_.Advance(seconds(2));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_EQ(Sizes(), "1/0/0/0/0");
}

TEST_F(BackoffTest, NobodyWaitsWhenNothingElseIsActive) {
  AddTurnedDown(NewPod("low"));
  AddTurnedDown(NewPod("high", 5));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_EQ(Sizes(), "0/2/0/0/0");
  queue_.Set(NewPod("new"));
  entered_.clear();
  EXPECT_EQ(PopName(), "new");
  EXPECT_EQ(PopName(), "high");  // of the same window, as active Pods are ordered
  EXPECT_EQ(PopName(), "low");
  EXPECT_THAT(entered_, ElementsAre("active:PopFromBackoffQ", "active:PopFromBackoffQ"));
}

TEST_F(BackoffTest, TheFirstToEndIsTheFirstToBePoppedEarly) {
  AddTurnedDown(NewPod("urgent", 9));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  queue_.AddUnschedulable(Pop(), {"Fit"});  // twice now: two seconds
  AddTurnedDown(NewPod("other"));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_EQ(PopName(), "other");
  EXPECT_EQ(PopName(), "urgent");
}

TEST_F(BackoffTest, ErrorsAndDeferralsWaitTheirTime) {
  AddTurnedDown(NewPod("error"), {});
  queue_.Set(NewPod("deferred"));
  const auto entry = Pop();
  queue_.AddDeferred(entry);
  EXPECT_EQ(entry->deferrals, 1);
  EXPECT_EQ(Sizes(), "0/2/0/0/0");
  EXPECT_FALSE(Pop());
  clock_.Advance(seconds(2));
  EXPECT_TRUE(Pop());
  EXPECT_TRUE(Pop());
}

TEST_F(BackoffTest, AChangedPodStaysThereOnce) {
  AddTurnedDown(NewPod("p"), {});
  queue_.Set(NewPod("p", 3));
  EXPECT_EQ(Sizes(), "0/1/0/0/0");
  clock_.Advance(seconds(2));
  EXPECT_EQ(Pop()->pod->pod->Priority(), 3);
  EXPECT_FALSE(Pop());
}

TEST_F(BackoffTest, WhoWaitedLongEnoughIsActiveAtOnce) {
  AddTurnedDown(NewPod("p"));
  clock_.Advance(seconds(2));
  entered_.clear();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_THAT(entered_, ElementsAre("active:AssignedPodDelete"));
}

}  // namespace
}  // namespace leadline

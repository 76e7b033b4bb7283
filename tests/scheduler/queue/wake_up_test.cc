// Which changes wake a Pod that was turned down, held back, or is in flight.
#include "queue_fixture.h"

namespace leadline {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

using WakeUpTest = QueueFixture;

std::shared_ptr<Pod> Fitting(std::shared_ptr<Pod> pod) {
  pod->metadata.annotations["fits"] = "";
  return pod;
}

TEST_F(WakeUpTest, OnlyAnEventThatHelpsWakes) {
  AddTurnedDown(NewPod("p"));
  clock_.Advance(seconds(60));
  queue_.OnEvent(Change(ClusterEvent::kNodeTaintUpdate));
  EXPECT_FALSE(Pop());
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  EXPECT_EQ(PopName(), "p");
  EXPECT_THAT(entered_,
              ElementsAre("active:UnscheduledPodAdd", "unschedulable:ScheduleAttemptFailure",
                          "active:AssignedPodDelete"));
}

TEST_F(WakeUpTest, AnyOfThePluginsThatTurnedItDownMayBeHelped) {
  for (ClusterEvent event : {ClusterEvent::kAssignedPodDelete, ClusterEvent::kNodeTaintUpdate}) {
    AddTurnedDown(NewPod("p"), {"Fit", "Taint"});
    queue_.OnEvent(Change(event));
    EXPECT_EQ(PopName(), "p");
    queue_.Done("p");
  }
}

TEST_F(WakeUpTest, AHintWakesThePodItIsAboutAlone) {
  for (const char* name : {"a", "b"}) AddTurnedDown(NewPod(name));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, "b"));
  EXPECT_EQ(PopName(), "b");
  EXPECT_EQ(PopName(), "");
}

TEST_F(WakeUpTest, RoomOfANominatedPodIsNotForHigherOnes) {
  AddTurnedDown(NewPod("low", 1));
  AddTurnedDown(NewPod("high", 2));
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete), {.highest_priority = 1, .except = {}});
  EXPECT_EQ(PopName(), "low");
  EXPECT_EQ(PopName(), "");
}

TEST_F(WakeUpTest, PatienceEndsAfterFiveMinutes) {
  AddTurnedDown(NewPod("p"));
  clock_.Advance(seconds(299));
  EXPECT_FALSE(Pop());
  clock_.Advance(seconds(31));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(WakeUpTest, AChangeOfItselfWakesIfItHelps) {
  AddTurnedDown(NewPod("p"));
  auto labelled = NewPod("p");
  labelled->metadata.labels["any"] = "";
  queue_.Set(labelled);
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
  queue_.Set(Fitting(NewPod("p")));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(WakeUpTest, AChangeInFlightIsNotLost) {
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(Sizes(), "0/1/0/0/0");
}

TEST_F(WakeUpTest, AChangeInFlightMustHelpWhoTurnedItDown) {
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  queue_.AddUnschedulable(entry, {"Taint"});
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
}

TEST_F(WakeUpTest, EachFlightIsToldItsOwnChanges) {
  queue_.Set(NewPod("a"));
  const auto a = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, "b"));
  queue_.Set(NewPod("b"));
  const auto b = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete, "a"));
  queue_.AddUnschedulable(b, {"Fit"});  // its change came before it was popped
  EXPECT_EQ(Sizes(), "0/0/1/0/1");
  queue_.AddUnschedulable(a, {"Fit"});
  EXPECT_EQ(Sizes(), "0/1/1/0/0");
}

TEST_F(WakeUpTest, WhatItGaveBackItselfDoesNotHelpIt) {
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete), {.except = "p"});
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete), {.except = "p"});
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
}

TEST_F(WakeUpTest, TooManyChangesInFlightAreTakenForHelp) {
  queue_.Set(NewPod("a"));
  const auto a = Pop();
  for (int i = 0; i < 10'000; ++i) queue_.OnEvent(Change(ClusterEvent::kNodeAdd));
  queue_.Set(NewPod("b"));
  const auto b = Pop();
  queue_.OnEvent(Change(ClusterEvent::kNodeAdd));
  queue_.AddUnschedulable(b, {"Fit"});
  EXPECT_EQ(Sizes(), "0/0/1/0/1");
  queue_.AddUnschedulable(a, {"Fit"});
  EXPECT_EQ(Sizes(), "0/1/1/0/0");
}

TEST_F(WakeUpTest, APodChangedInFlightIsTriedAsItIsNow) {
  queue_.Set(NewPod("p", 1));
  auto entry = Pop();
  queue_.Set(NewPod("p", 2));
  queue_.AddUnschedulable(entry, {"Fit"});  // the change helps nobody
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
  EXPECT_EQ(entry->pod->pod->Priority(), 2);
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  entry = Pop();
  queue_.Set(Fitting(NewPod("p", 2)));
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(PopName(), "p");
}

TEST_F(WakeUpTest, AGatedPodWaitsForItsLastGate) {
  auto two = GatedPod("p");
  two->spec.scheduling_gates.push_back("another");
  queue_.Set(two);
  EXPECT_EQ(Sizes(), "0/0/0/1/0");
  queue_.Set(GatedPod("p"));  // one less
  queue_.OnEvent(Change(ClusterEvent::kAssignedPodDelete));
  clock_.Advance(minutes(6));
  EXPECT_FALSE(Pop());
  EXPECT_EQ(Sizes(), "0/0/0/1/0");
  queue_.Set(NewPod("p"));
  EXPECT_EQ(PopName(), "p");
}

TEST_F(WakeUpTest, AWokenPodPassesTheGatesAgain) {
  AddTurnedDown(NewPod("p"));
  auto gated = Fitting(GatedPod("p"));
  queue_.Set(gated);
  EXPECT_EQ(Sizes(), "0/0/0/1/0");
  queue_.Set(Fitting(NewPod("p")));
  EXPECT_EQ(Sizes(), "0/1/0/0/0");
}

TEST_F(WakeUpTest, ActivationSkipsTheBackoffButNoGate) {
  AddTurnedDown(NewPod("parked"));
  AddTurnedDown(NewPod("error"), {});
  queue_.Set(GatedPod("gated"));
  for (const char* uid : {"parked", "error", "gated", "unknown"}) queue_.Activate(uid);
  EXPECT_EQ(Sizes(), "2/0/0/1/0");
}

TEST_F(WakeUpTest, ActivationInFlightIsRemembered) {
  queue_.Set(NewPod("p"));
  const auto entry = Pop();
  queue_.Activate("p");
  queue_.AddUnschedulable(entry, {"Fit"});
  EXPECT_EQ(PopName(), "p");
  queue_.AddUnschedulable(entry, {"Fit"});  // once
  EXPECT_EQ(Sizes(), "0/0/1/0/0");
}

}  // namespace
}  // namespace leadline

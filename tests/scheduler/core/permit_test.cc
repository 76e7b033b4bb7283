// Pods that a Permit plugin holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"

namespace leadline {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Holds the Pods that have the label "hold", for as many milliseconds as it says.
class Hold : public PermitPlugin, public ReservePlugin, public EnqueueExtensions {
 public:
  std::string_view Name() const override { return "Hold"; }
  std::vector<ClusterEvent> EventsToRegister() const override {
    return {ClusterEvent::kNodeAdd, ClusterEvent::kAssignedPodDelete};
  }
  Status Reserve(CycleState& state, const PodInfo&, const std::string&) override {
    ++reserved;
    const auto for_scheduling = std::make_shared<int>(1), for_binding = std::make_shared<int>(2);
    of_scheduling = for_scheduling;
    of_binding = for_binding;
    state.Write("Hold/scheduling", for_scheduling);
    state.WriteForBinding("Hold/binding", for_binding);
    return {};
  }
  void Unreserve(CycleState&, const PodInfo&, const std::string&) override { --reserved; }
  Status Permit(CycleState&, const PodInfo& pod, const std::string&,
                std::chrono::nanoseconds* wait) override {
    const auto hold = pod.pod->metadata.labels.find("hold");
    if (hold == pod.pod->metadata.labels.end()) return {};
    ++permits;
    *wait = milliseconds(std::stoll(hold->second));
    return Status(Status::Code::kWait, "");
  }
  std::atomic<int> reserved{0}, permits{0};
  std::weak_ptr<int> of_scheduling, of_binding;  // of the Pod that was reserved last
};

class PermitTest : public testing::Test {
 protected:
  PermitTest() : bench_(Plugins(), {{"Hold"}}) { bench_.cluster.Add(MakeNode("n1", 1)); }

  PluginRegistry Plugins() {
    PluginRegistry registry;
    registry.emplace("Hold", [this](const YamlNode&, const YamlDocument*) {
      return Result<std::shared_ptr<Plugin>>(hold_);
    });
    return registry;
  }
  void AddHeld(const std::string& name, int milli_cpu, std::chrono::milliseconds time) {
    auto pod = MakePod(name, milli_cpu);
    pod->metadata.labels["hold"] = std::to_string(time.count());
    bench_.cluster.Add(pod);
  }
  bool Held(std::size_t count) {
    return bench_.cluster.WaitFor(
        [&](auto&) { return bench_.waiting_pods->Pods().size() == count; });
  }
  bool Heard(const std::string& text) {
    return bench_.cluster.WaitFor([&](auto&) {
      const auto& events = bench_.cluster.events_now();
      return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        return event.find(text) != std::string::npos;
      });
    });
  }
  void ExpectNothingReserved() {
    EXPECT_TRUE(bench_.cluster.WaitFor([&](auto&) {
      return hold_->reserved == 0 && bench_.cache.sizes().assumed == 0 &&
             bench_.scheduler->bindings_under_way() == 0;
    }));
  }

  std::shared_ptr<Hold> hold_ = std::make_shared<Hold>();
  Bench bench_;
};

TEST_F(PermitTest, AHeldPodGivesUpWhatOnlySchedulingNeeds) {
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  EXPECT_TRUE(hold_->of_scheduling.expired());
  EXPECT_FALSE(hold_->of_binding.expired());
  EXPECT_TRUE(bench_.waiting_pods->Allow("uid-held", "Hold"));
  ASSERT_TRUE(bench_.cluster.WaitForBound(1));
  EXPECT_TRUE(bench_.cluster.WaitFor([&](auto&) { return hold_->of_binding.expired(); }));
}

TEST_F(PermitTest, AHeldPodKeepsItsPlaceAndHoldsUpNobody) {
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  bench_.cluster.Add(MakePod("other", 300));
  bench_.cluster.Add(MakePod("too-big", 600));  // the held one's room is taken
  ASSERT_TRUE(bench_.cluster.WaitForBound(1));
  EXPECT_TRUE(Heard("FailedScheduling default/too-big: 0/1 nodes are available: 1 Insufficient"));
  EXPECT_EQ(bench_.cluster.pods().at("uid-other")->spec.node_name, "n1");
  EXPECT_THAT(bench_.waiting_pods->PendingPlugins("uid-held"), ElementsAre("Hold"));
  EXPECT_TRUE(bench_.waiting_pods->Allow("uid-held", "Hold"));
  ASSERT_TRUE(bench_.cluster.WaitForBound(2));
  EXPECT_EQ(hold_->permits, 1);
  EXPECT_THAT(bench_.Metrics(),
              HasSubstr("scheduler_permit_wait_duration_seconds_count{result=\"Success\"} 1"));
}

TEST_F(PermitTest, ARejectedPodGivesItsPlaceBack) {
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  bench_.cluster.Add(MakePod("next", 600));
  ASSERT_TRUE(Heard("default/next: 0/1"));
  EXPECT_TRUE(bench_.waiting_pods->Reject("uid-held", "Hold", "no partner in sight"));
  ASSERT_TRUE(bench_.cluster.WaitForBound(1));  // "next", woken by the room
  EXPECT_EQ(bench_.cluster.pods().at("uid-next")->spec.node_name, "n1");
  EXPECT_TRUE(Heard("FailedScheduling default/held: 0/1 nodes are available: 1 no partner in"));
  const auto held = bench_.cluster.pods().at("uid-held");
  ASSERT_EQ(held->status.conditions.size(), 1u);
  EXPECT_EQ(held->status.conditions[0].reason, "Unschedulable");
}

TEST_F(PermitTest, ARejectedPodIsNotWokenByItsOwnPlace) {
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  bench_.waiting_pods->Reject("uid-held", "Hold", "later");
  ASSERT_TRUE(bench_.cluster.WaitFor(
      [&](auto&) { return bench_.scheduler->queue().sizes().unschedulable == 1; }));
  EXPECT_EQ(hold_->permits, 1);
  bench_.cluster.Add(MakeNode("n2", 1));  // what its plugin waits for
  ASSERT_TRUE(Held(1));
  EXPECT_EQ(hold_->permits, 2);
}

TEST_F(PermitTest, TimeRunsOut) {
  AddHeld("held", 600, milliseconds(50));
  EXPECT_TRUE(Heard(
      "FailedScheduling default/held: 0/1 nodes are available: 1 rejected due to timeout after "
      "waiting 50ms at plugin Hold."));
  ExpectNothingReserved();
}

TEST_F(PermitTest, ADeletedPodWaitsNoMore) {
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  bench_.cluster.Delete("uid-held");
  ASSERT_TRUE(Held(0));
  ExpectNothingReserved();
  EXPECT_THAT(bench_.cluster.events(), Not(Contains(HasSubstr("default/held"))));
  bench_.cluster.Add(MakePod("next", 900));
  EXPECT_TRUE(bench_.cluster.WaitForBound(1));
}

TEST_F(PermitTest, APodThatAnotherBoundWaitsNoMore) {
  bench_.cluster.Add(MakeNode("n2", 1));
  AddHeld("held", 600, hours(1));
  ASSERT_TRUE(Held(1));
  bench_.cluster.BindByAnother("uid-held", "n2");
  ASSERT_TRUE(Held(0));
  ExpectNothingReserved();
  EXPECT_EQ(bench_.cache.NodeOf("uid-held"), "n2");
  EXPECT_THAT(bench_.cluster.events(), Not(Contains(HasSubstr("default/held"))));
}

TEST_F(PermitTest, StoppingUndoesWhatIsHeldAndSaysNothing) {
  AddHeld("a", 300, hours(1));
  AddHeld("b", 300, hours(1));
  ASSERT_TRUE(Held(2));
  bench_.scheduler->Stop(std::chrono::seconds(10));
  EXPECT_EQ(bench_.scheduler->bindings_under_way(), 0u);
  EXPECT_EQ(hold_->reserved, 0);
  EXPECT_EQ(bench_.cache.sizes().assumed, 0u);
  EXPECT_THAT(bench_.cluster.events(), testing::IsEmpty());
}

}  // namespace
}  // namespace leadline

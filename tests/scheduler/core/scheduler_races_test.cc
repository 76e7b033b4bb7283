// What goes on beside a cycle: changes, deletions and other schedulers, at the worst moment.
#include <future>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"
#include "scheduler/framework/scripted_plugin.h"

namespace leadline {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Holds the scheduling thread in its first Filter until told to go on.
class Gate {
 public:
  Gate() {
    script_->filter = [this](const NodeInfo&) {
      if (!passed_.exchange(true)) {
        arrived_.set_value();
        open_.get_future().wait();
      }
      return Status();
    };
  }
  PluginRegistry Plugins() {
    PluginRegistry registry;
    Register(&registry, "Gate", script_);
    return registry;
  }
  void WaitForArrival() { arrived_.get_future().wait(); }
  void Open() { open_.set_value(); }

 private:
  std::shared_ptr<Script> script_ = std::make_shared<Script>();
  std::atomic<bool> passed_{false};
  std::promise<void> arrived_, open_;
};

// A scripted plugin binds too: it stands behind DefaultBinder, which never skips.
std::vector<EnabledPlugin> Enabled(const char* name) { return {{name}}; }

TEST(SchedulerRacesTest, ALabelThatComesDuringTheCycleWakesThePod) {
  // The Filter of a plugin that the Pod fails at; meanwhile the event that it waits for.
  std::promise<void> arrived, open;
  std::atomic<int> calls{0};
  auto script = std::make_shared<Script>();
  script->filter = [&](const NodeInfo& node) {
    if (calls++ == 0) {
      arrived.set_value();
      open.get_future().wait();
    }
    const auto& labels = node.node().metadata.labels;
    return labels.count("disk") != 0 ? Status() : Status(Status::Code::kUnschedulable, "no disk");
  };
  PluginRegistry registry;
  Register(&registry, "Disk", script);
  Bench bench(registry, Enabled("Disk"));
  const auto plain = MakeNode("n1", 4);
  bench.cluster.Add(plain);
  bench.cluster.Add(MakePod("p", 100));
  arrived.get_future().wait();
  auto labelled = std::make_shared<Node>(*plain);
  labelled->metadata.labels["disk"] = "ssd";
  bench.cluster.Update(plain, labelled);
  bench.cluster.pods();  // the update has been told
  open.set_value();
  EXPECT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_EQ(bench.decisions().size(), 2u);
}

TEST(SchedulerRacesTest, APodDeletedDuringTheCycleHoldsNothing) {
  Gate gate;
  NoWriter dry;  // binds at once, whatever happened meanwhile
  Bench bench(gate.Plugins(), Enabled("Gate"), &dry);
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 4000));
  gate.WaitForArrival();
  bench.cluster.Delete("uid-p");
  bench.cluster.pods();
  gate.Open();
  bench.cluster.Add(MakePod("q", 4000));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.NodeOf("uid-q") == "n1"; }));
  EXPECT_EQ(bench.cache.NodeOf("uid-p"), "");
  EXPECT_EQ(bench.cache.FindInconsistency(), "");
}

TEST(SchedulerRacesTest, SomebodyElseBindsIt) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 4));
  std::atomic<bool> taken{false};
  bench.cluster.on_bind = [&](const Pod&, const std::string&) {
    return taken.exchange(true) ? "" : "slow";
  };
  auto pod = MakePod("p", 1000);
  bench.cluster.Add(pod);
  bench.cluster.BindByAnother("uid-p", "n1");
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  bench.cluster.Add(MakePod("q", 3000));
  ASSERT_TRUE(bench.cluster.WaitForBound(2));
  EXPECT_EQ(bench.cluster.bindings_refused_twice(), 0);
  EXPECT_EQ(bench.cache.UpdateSnapshot()->Find("n1")->requested().milli_cpu, 4000);
}

TEST(SchedulerRacesTest, ALostRaceWritesNoCondition) {
  // The Binding is refused with a conflict before the watch has told why.
  class Conflict : public NoWriter {
   public:
    void Bind(std::shared_ptr<const Pod>, const std::string&,
              std::function<void(Result<void>)> done) override {
      ++binds;
      done(Error(ErrorCode::kConflict, "the Pod is on n9"));
    }
    void SetUnscheduled(const Pod&, const std::string&, const std::string&) override {
      ++conditions;
    }
    std::atomic<int> binds{0}, conditions{0};
  } writer;
  Bench bench({}, {}, &writer);
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 1000));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return writer.binds >= 2; }));
  bench.cluster.BindByAnother("uid-p", "n9");
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) {
    const auto sizes = bench.scheduler->queue().sizes();
    return sizes.backoff + sizes.active + sizes.in_flight == 0;
  }));
  EXPECT_EQ(writer.conditions, 0);
  EXPECT_EQ(bench.cache.NodeOf("uid-p"), "n9");
  EXPECT_EQ(bench.cache.sizes().assumed, 0u);
}

TEST(SchedulerRacesTest, APodMadeAgainUnderItsNameIsAnother) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 3000));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  // Deleted and made again while the watch was down: a fresh list shows it as a change.
  bench.cluster.Update("uid-p", [](Pod& pod) {
    pod.metadata.uid = "uid-p2";
    pod.spec.containers[0].requests = {{"cpu", Quantity::FromMilli(500)}};
  });
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.NodeOf("uid-p2") == "n1"; }));
  EXPECT_EQ(bench.cache.NodeOf("uid-p"), "");
  EXPECT_EQ(bench.cache.UpdateSnapshot()->Find("n1")->requested().milli_cpu, 500);
  EXPECT_EQ(bench.cache.FindInconsistency(), "");
}

TEST(SchedulerRacesTest, AFailedPodFreesItsRoomAndIsNotTakenAgain) {
  Bench bench;
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 4000));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  bench.cluster.Add(MakePod("q", 4000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  bench.cluster.Update("uid-p", [](Pod& pod) { pod.status.phase = "Failed"; });
  ASSERT_TRUE(bench.cluster.WaitForBound(2));
  EXPECT_EQ(bench.cache.NodeOf("uid-p"), "");
}

TEST(SchedulerRacesTest, APodThatFailsWhileItWaitsWaitsNoMore) {
  Bench bench;
  bench.cluster.Add(MakePod("p", 100));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return !bench.decisions().empty(); }));
  bench.cluster.Update("uid-p", [](Pod& pod) { pod.status.phase = "Failed"; });
  ASSERT_TRUE(
      bench.cluster.WaitFor([&](auto&) { return !bench.scheduler->queue().Contains("uid-p"); }));
}

TEST(SchedulerRacesTest, TheSameConditionIsWrittenOnce) {
  Bench bench;
  bench.cluster.Add(MakePod("p", 100));  // no node: tried again and again after its backoff
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.decisions().size() >= 5; }));
  EXPECT_EQ(bench.cluster.conditions_written(), 1);
  EXPECT_GE(bench.cluster.events_written(), 4);
}

TEST(SchedulerRacesTest, NewsOfAPodInFlightCountAfterAFailedBinding) {
  Bench bench;
  std::vector<std::string> seen;
  bench.cluster.on_bind = [&](const Pod& pod, const std::string&) {
    const auto& labels = pod.metadata.labels;
    seen.push_back(labels.count("new") != 0 ? "new" : "old");
    if (seen.size() > 1) return "";
    bench.cluster.UpdateNow("uid-p", [](Pod& changed) { changed.metadata.labels["new"] = ""; });
    return "again";
  };
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 100));
  ASSERT_TRUE(bench.cluster.WaitForBound(1));
  EXPECT_THAT(seen, testing::ElementsAre("old", "new"));
}

TEST(SchedulerRacesTest, ARefusalAtReserveIsUndoneAndTold) {
  auto script = std::make_shared<Script>();
  std::vector<std::string> calls;
  script->calls = &calls;
  script->reserve = Status(Status::Code::kUnschedulable, "somebody was faster");
  PluginRegistry registry;
  Register(&registry, "Late", script);
  Bench bench(registry, Enabled("Late"));
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 100));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [](const auto& pods) { return pods.at("uid-p")->FindCondition("PodScheduled") != nullptr; }));
  EXPECT_EQ(bench.cluster.pods().at("uid-p")->FindCondition("PodScheduled")->message,
            "0/1 nodes are available: 1 somebody was faster.");
  bench.scheduler->Stop(std::chrono::seconds(10));
  EXPECT_THAT(calls, Contains("Late.Unreserve"));
  EXPECT_THAT(calls, Not(Contains("Late.Permit")));
  EXPECT_EQ(bench.cache.sizes().pods, 0u);
  EXPECT_EQ(bench.decisions()[0]->node, "");
}

TEST(SchedulerRacesTest, ADryRunRemembersWhatItWouldHaveDone) {
  NoWriter dry;
  Bench bench({}, {}, &dry);
  bench.cluster.Add(MakeNode("n1", 2));
  for (const char* name : {"a", "b"}) bench.cluster.Add(MakePod(name, 1000));
  bench.cluster.Add(MakePod("c", 1000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  EXPECT_EQ(bench.cache.sizes().assumed, 2u);
  bench.cluster.Delete("uid-a");
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.NodeOf("uid-c") == "n1"; }));
  EXPECT_EQ(bench.cluster.events_written(), 0);
  EXPECT_EQ(bench.cluster.conditions_written(), 0);
}

TEST(SchedulerRacesTest, StopWaitsForBindingsUnderWay) {
  Bench bench;
  std::promise<void> go;
  std::promise<void> begun;
  bench.cluster.on_bind = [&](const Pod&, const std::string&) {
    begun.set_value();
    go.get_future().wait();
    return "";
  };
  bench.cluster.Add(MakeNode("n1", 4));
  bench.cluster.Add(MakePod("p", 100));
  begun.get_future().wait();
  EXPECT_EQ(bench.scheduler->bindings_under_way(), 1u);
  bench.scheduler->Stop(std::chrono::milliseconds(1));
  EXPECT_EQ(bench.scheduler->bindings_under_way(), 1u);  // the grace was too short
  go.set_value();
  bench.scheduler->Stop(std::chrono::seconds(60));
  EXPECT_EQ(bench.scheduler->bindings_under_way(), 0u);
}

}  // namespace
}  // namespace leadline

// A waiting Pod is tried again when something happens that helps it, not at the sweep five minutes
// later: no wait here is as long as that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"
#include "scheduler/framework/scripted_plugin.h"

namespace leadline {
namespace {

using testing::HasSubstr;

LabelSelector With(const std::string& label, const std::string& value) {
  return {{{label, Requirement::Operator::kIn, {value}}}};
}

class WakeUpsTest : public testing::Test {
 protected:
  // Adds the Pod, which fits nowhere, and waits until that is said, in words that contain `why`.
  void AddWaiting(const std::shared_ptr<Pod>& pod, const std::string& why) {
    bench_.cluster.Add(pod);
    const auto message = [&]() -> std::string {
      const auto now = bench_.cluster.pods().at(pod->metadata.uid);
      const PodCondition* condition = now->FindCondition("PodScheduled");
      return condition == nullptr ? "" : condition->message;
    };
    ASSERT_TRUE(bench_.cluster.WaitFor([&](const auto& pods) {
      return pods.at(pod->metadata.uid)->FindCondition("PodScheduled") != nullptr &&
             bench_.scheduler->queue().sizes().in_flight == 0;
    }));
    EXPECT_THAT(message(), HasSubstr(why));
  }
  bool WaitForBound(const std::string& uid, const std::string& node = "n") {
    return bench_.cluster.WaitFor(
        [&](const auto& pods) { return pods.at(uid)->spec.node_name == node; });
  }
  void UpdateNode(const std::function<void(Node&)>& change) {
    auto changed = std::make_shared<Node>(*node_);
    change(*changed);
    bench_.cluster.Update(std::exchange(node_, changed), changed);
  }

  Bench bench_;
  std::shared_ptr<const Node> node_ = MakeNode("n", 4);
};

TEST_F(WakeUpsTest, C07_AResizeThatTheNodeMadeFreesRoom) {
  auto holder = MakePod("a", 1000);  // lowered, but the node still holds three
  holder->spec.node_name = "n";
  const ResourceList three = {{"cpu", Quantity::FromUnits(3)}};
  holder->status.containers = {{"c", three, three}};
  bench_.cluster.Add(node_);
  bench_.cluster.Add(holder);
  AddWaiting(MakePod("b", 2000), "Insufficient cpu");
  bench_.cluster.Update("uid-a", [](Pod& pod) {
    const ResourceList one = {{"cpu", Quantity::FromUnits(1)}};
    pod.status.containers = {{"c", one, one}};
  });
  EXPECT_TRUE(WaitForBound("uid-b"));
}

TEST_F(WakeUpsTest, C13_AnUncordonedNodeIsTriedAtOnce) {
  UpdateNode([](Node& node) { node.unschedulable = true; });
  bench_.cluster.Add(node_);
  AddWaiting(MakePod("plain", 100), "node(s) were unschedulable");
  auto tolerant = MakePod("tolerant", 100);
  tolerant->spec.tolerations = {{"node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule"}};
  bench_.cluster.Add(tolerant);
  EXPECT_TRUE(WaitForBound("uid-tolerant"));
  EXPECT_EQ(bench_.cluster.pods().at("uid-plain")->spec.node_name, "");
  UpdateNode([](Node& node) { node.unschedulable = false; });
  EXPECT_TRUE(WaitForBound("uid-plain"));
}

TEST_F(WakeUpsTest, C71_APodPlacedInANamespaceWithTheLabelsWakes) {
  const auto name_space = [](const std::string& labels) {
    return std::make_shared<const Namespace>(
        ParseNamespace(R"({"metadata":{"name":"team","labels":{)" + labels + "}}}").value());
  };
  bench_.listers().namespaces.Put(name_space(""));
  UpdateNode([](Node& node) { node.metadata.labels["zone"] = "a"; });
  bench_.cluster.Add(node_);
  const auto near = [](const std::string& name, const std::string& app) {
    auto pod = MakePod(name, 100);
    PodAffinityTerm term;
    term.topology_key = "zone";
    term.label_selector = With("app", app);
    term.namespace_selector = With("team", "x");
    pod->spec.pod_affinity.required = {term};
    return pod;
  };
  const auto placed = [](const std::string& name, const std::string& app) {
    auto pod = MakePod(name, 100);
    pod->metadata.namespace_name = "team";
    pod->metadata.labels["app"] = app;
    pod->spec.node_name = "n";
    return pod;
  };
  bench_.cluster.Add(placed("before", "one"));
  AddWaiting(near("p", "one"), "didn't match pod affinity rules");
  // The labels are put on the namespace of a Pod that is there already.
  bench_.listers().namespaces.Put(name_space(R"("team":"x")"));
  bench_.scheduler->OnChange({ClusterEvent::kNamespaceChange});
  EXPECT_TRUE(WaitForBound("uid-p"));
  // A Pod is placed in a namespace that has them.
  AddWaiting(near("q", "two"), "didn't match pod affinity rules");
  bench_.cluster.Add(placed("after", "two"));
  EXPECT_TRUE(WaitForBound("uid-q"));
}

TEST_F(WakeUpsTest, C73_ATolerationThatIsAddedWakes) {
  UpdateNode([](Node& node) { node.unschedulable = true; });
  bench_.cluster.Add(node_);
  AddWaiting(MakePod("cordon", 100), "node(s) were unschedulable");
  const auto tolerate_all = [](Pod& pod) { pod.spec.tolerations = {{"", "Exists", "", ""}}; };
  bench_.cluster.Update("uid-cordon", tolerate_all);
  EXPECT_TRUE(WaitForBound("uid-cordon"));
  UpdateNode([](Node& node) {
    node.unschedulable = false;
    node.taints = {{"gpu", "", "NoSchedule"}};
  });
  AddWaiting(MakePod("taint", 100), "node(s) had untolerated taint(s)");
  bench_.cluster.Update("uid-taint", tolerate_all);
  EXPECT_TRUE(WaitForBound("uid-taint"));
}

TEST_F(WakeUpsTest, C81_ALabelThatASpreadNeedsWakes) {
  bench_.cluster.Add(node_);
  auto pod = MakePod("p", 100);
  TopologySpreadConstraint constraint;
  constraint.topology_key = "rack";
  constraint.label_selector = With("app", "web");
  pod->spec.spread_constraints = {constraint};
  pod->metadata.labels["app"] = "web";
  AddWaiting(pod, "missing required label");
  UpdateNode([](Node& node) { node.metadata.labels["rack"] = "r1"; });
  EXPECT_TRUE(WaitForBound("uid-p"));
}

TEST_F(WakeUpsTest, C89_ANodeThatNeverTakesThePodIsLeftForAnother) {
  bench_.cluster.on_bind = [](const Pod&, const std::string& node) {
    return node == "n" ? "internal error" : "";
  };
  bench_.cluster.Add(node_);
  bench_.cluster.Add(MakePod("p", 1000));
  ASSERT_TRUE(bench_.cluster.WaitFor([&](auto&) { return bench_.decisions().size() >= 3; }));
  UpdateNode([](Node& node) { node.unschedulable = true; });
  bench_.cluster.Add(MakeNode("n2", 4));
  EXPECT_TRUE(WaitForBound("uid-p", "n2"));
  EXPECT_EQ(bench_.cache.UpdateSnapshot()->Find("n")->requested().milli_cpu, 0);
}

TEST_F(WakeUpsTest, C91_OnlySoManyAreTakenHoweverManyComeAtOnce) {
  for (const char* name : {"n1", "n2"}) {
    auto node = std::make_shared<Node>(*MakeNode(name, 64));
    node->allocatable[1].second = Quantity::FromUnits(std::int64_t{70} << 30);
    bench_.cluster.Add(node);
  }
  for (int i = 0; i < 30; ++i) {
    auto pod = MakePod("p" + std::to_string(i), 10);
    pod->spec.containers[0].requests.emplace_back("memory",
                                                  Quantity::FromUnits(std::int64_t{32} << 30));
    bench_.cluster.Add(pod);
  }
  ASSERT_TRUE(bench_.cluster.WaitForBound(4));
  ASSERT_TRUE(bench_.cluster.WaitFor([&](const auto& pods) {
    return std::count_if(pods.begin(), pods.end(), [](const auto& pod) {
             const auto* condition = pod.second->FindCondition("PodScheduled");
             return condition != nullptr && condition->message.starts_with(
                                                "0/2 nodes are available: 2 Insufficient memory.");
           }) == 26;
  }));
  for (const auto& node : bench_.cache.UpdateSnapshot()->nodes()) {
    EXPECT_EQ(node->pods().size(), 2u);
  }
}

TEST_F(WakeUpsTest, AGatedPodIsTriedWhenItsLastGateGoes) {
  bench_.cluster.Add(node_);
  auto pod = MakePod("p", 100);
  pod->spec.scheduling_gates = {"a", "b"};
  bench_.cluster.Add(pod);
  bench_.cluster.Update("uid-p", [](Pod& changed) { changed.spec.scheduling_gates = {"b"}; });
  bench_.cluster.Add(MakePod("q", 100));
  EXPECT_TRUE(WaitForBound("uid-q"));
  EXPECT_EQ(bench_.scheduler->queue().sizes().gated, 1u);
  bench_.cluster.Update("uid-p", [](Pod& changed) { changed.spec.scheduling_gates.clear(); });
  EXPECT_TRUE(WaitForBound("uid-p"));
}

TEST_F(WakeUpsTest, AnAnnotationIsNoReasonToTryAgain) {
  bench_.cluster.Add(node_);
  AddWaiting(MakePod("p", 5000), "Insufficient cpu");
  bench_.cluster.Update("uid-p", [](Pod& pod) { pod.metadata.annotations["a"] = "b"; });
  bench_.cluster.Add(MakePod("q", 100));
  EXPECT_TRUE(WaitForBound("uid-q"));
  EXPECT_EQ(bench_.decisions().size(), 2u);
}

TEST_F(WakeUpsTest, ANominationThatIsGivenUpWakes) {
  bench_.cluster.Add(node_);
  auto high = MakePod("high", 3000);
  high->spec.priority = 5;
  high->spec.scheduling_gates = {"gate"};
  high->status.nominated_node_name = "n";
  bench_.cluster.Add(high);
  AddWaiting(MakePod("low", 3000), "Insufficient cpu");
  bench_.cluster.Update("uid-high", [](Pod& pod) { pod.status.nominated_node_name.clear(); });
  EXPECT_TRUE(WaitForBound("uid-low"));
}

// A Pod whose binding is under way when somebody deletes it.
TEST(WakeUpsInBindingTest, ADeletionThatBeganFreesWhatWasAssumed) {
  class Never : public NoWriter {
   public:
    void Bind(std::shared_ptr<const Pod>, const std::string&,
              std::function<void(Result<void>)> done) override {
      const std::lock_guard lock(mutex);
      pending.push_back(std::move(done));
    }
    std::mutex mutex;
    std::vector<std::function<void(Result<void>)>> pending;
  } writer;
  Bench bench({}, {}, &writer);
  bench.cluster.Add(MakeNode("n", 4));
  bench.cluster.Add(MakePod("x", 4000));
  ASSERT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.NodeOf("uid-x") == "n"; }));
  bench.cluster.Add(MakePod("y", 4000));
  ASSERT_TRUE(bench.cluster.WaitFor(
      [&](auto&) { return bench.scheduler->queue().sizes().unschedulable == 1; }));
  bench.cluster.Update("uid-x", [](Pod& pod) { pod.metadata.deleting = true; });
  EXPECT_TRUE(bench.cluster.WaitFor([&](auto&) { return bench.cache.NodeOf("uid-y") == "n"; }));
  EXPECT_EQ(bench.cache.NodeOf("uid-x"), "");
  const std::lock_guard lock(writer.mutex);
  for (const auto& done : writer.pending) done(Error(ErrorCode::kConflict, "is being deleted"));
}

// The node gets its label at any moment around an attempt that takes its time.
TEST(WakeUpsInFlightTest, C19_NoEventIsLostAtAnyMoment) {
  auto slow = std::make_shared<Script>();
  slow->pre_filter = [](PreFilterResult*) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return Status();
  };
  PluginRegistry registry;
  Register(&registry, "Slow", slow);
  Bench bench(registry, {{"Slow"}});
  Rng rng(19);
  const auto plain = MakeNode("n", 1000, 1000);
  auto labelled = std::make_shared<Node>(*plain);
  labelled->metadata.labels["disk"] = "ssd";
  bench.cluster.Add(plain);
  for (std::size_t round = 1; round <= 100; ++round) {
    auto pod = MakePod("p" + std::to_string(round), 100);
    pod->spec.node_selector["disk"] = "ssd";
    bench.cluster.Add(pod);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.Below(8000)));
    bench.cluster.Update(plain, labelled);
    ASSERT_TRUE(bench.cluster.WaitForBound(round)) << "round " << round;
    bench.cluster.Update(labelled, plain);
  }
}

}  // namespace
}  // namespace leadline

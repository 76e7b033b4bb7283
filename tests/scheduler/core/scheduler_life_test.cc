// The random life of a cluster of 1,000 nodes: nothing is lost, nothing bound twice, no node
// filled above its allocatable.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory_cluster.h"

namespace leadline {
namespace {

constexpr int kNodes = 1000, kPods = 3000;

class SchedulerLifeTest : public testing::TestWithParam<int> {
 protected:
  SchedulerLifeTest() : rng_(static_cast<std::uint64_t>(GetParam())) {
    bench_.cluster.on_bind = [this](const Pod&, const std::string&) {
      return failing_++ % 9 == 4 ? "try again" : "";
    };
    for (int i = 0; i < kNodes; ++i) {
      nodes_.push_back(MakeNode("n" + std::to_string(i), 4));
      bench_.cluster.Add(nodes_.back());
    }
  }

  std::string AnyPod(int upto) { return "uid-p" + std::to_string(rng_.Below(upto + 1)); }

  void AddPods(int from, int to) {
    for (int i = from; i < to; ++i) {
      auto pod = MakePod("p" + std::to_string(i), 100 * static_cast<int>(1 + rng_.Below(8)));
      pod->spec.priority = static_cast<int>(rng_.Below(3));
      bench_.cluster.Add(pod);
      Disturb(i);
    }
  }

  void Disturb(int i) {
    const std::size_t n = rng_.Below(kNodes);
    switch (rng_.Below(20)) {
      case 0: {
        const std::string uid = AnyPod(i);
        bench_.cluster.Delete(uid);
        deleted_.insert(uid);
        break;
      }
      case 1: {  // cordoned, or open again
        auto changed = std::make_shared<Node>(*nodes_[n]);
        changed->unschedulable = !changed->unschedulable;
        bench_.cluster.Update(nodes_[n], changed);
        nodes_[n] = changed;
        break;
      }
      case 2: {  // gone, and back under its name
        bench_.cluster.Remove(nodes_[n]);
        bench_.cluster.Add(nodes_[n]);
        break;
      }
      case 3:
        bench_.cluster.Update(
            AnyPod(i), [i](Pod& pod) { pod.metadata.annotations["touched"] = std::to_string(i); });
        break;
      default:
        break;
    }
  }

  Bench bench_;
  Rng rng_;
  int failing_ = 0;  // on the cluster's thread
  std::vector<std::shared_ptr<const Node>> nodes_;
  std::set<std::string> deleted_;
};

TEST_P(SchedulerLifeTest, NothingIsLostOrCountedTwice) {
  AddPods(0, kPods);
  ASSERT_TRUE(bench_.cluster.WaitForBound(kPods - deleted_.size()));
  ASSERT_TRUE(bench_.cluster.WaitFor([&](auto&) {
    return bench_.cache.sizes().assumed == 0 && bench_.scheduler->bindings_under_way() == 0;
  }));
  EXPECT_EQ(bench_.cluster.bindings_refused_twice(), 0);
  EXPECT_EQ(bench_.cache.FindInconsistency(), "");
  EXPECT_EQ(bench_.cache.sizes().pods, kPods - deleted_.size());
  const auto sizes = bench_.scheduler->queue().sizes();
  EXPECT_EQ(sizes.active + sizes.backoff + sizes.unschedulable + sizes.in_flight, 0u);
  // By the API server's account, not our own.
  std::map<std::string, std::int64_t> used;
  for (const auto& [uid, pod] : bench_.cluster.pods()) {
    used[pod->spec.node_name] += PodInfo(pod).bound_requests.milli_cpu;
  }
  for (const auto& [node, milli] : used) EXPECT_LE(milli, 4000) << node;
}

// Other schedulers bind some of the Pods first; the books follow what the watch says.
TEST_P(SchedulerLifeTest, OthersMayBindToo) {
  std::size_t given_away = 0;
  for (int i = 0; i < kPods / 4; ++i) {
    bench_.cluster.Add(MakePod("p" + std::to_string(i), 100));
    if (rng_.Below(4) == 0) {
      bench_.cluster.BindByAnother("uid-p" + std::to_string(i),
                                   nodes_[rng_.Below(kNodes)]->metadata.name);
      ++given_away;
    }
  }
  ASSERT_GT(given_away, 0u);
  ASSERT_TRUE(bench_.cluster.WaitForBound(kPods / 4));
  ASSERT_TRUE(bench_.cluster.WaitFor([&](auto&) {
    const auto sizes = bench_.scheduler->queue().sizes();
    return bench_.cache.sizes().assumed == 0 && bench_.scheduler->bindings_under_way() == 0 &&
           sizes.active + sizes.backoff + sizes.unschedulable + sizes.in_flight == 0;
  }));
  EXPECT_EQ(bench_.cluster.bindings_refused_twice(), 0);
  for (const auto& [uid, pod] : bench_.cluster.pods()) {
    EXPECT_EQ(bench_.cache.NodeOf(uid), pod->spec.node_name);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SchedulerLifeTest, testing::Values(5, 6));

}  // namespace
}  // namespace leadline

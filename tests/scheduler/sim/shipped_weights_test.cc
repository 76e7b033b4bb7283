// The weights that are shipped place well. The long form (LEADLINE_SLOW=1) plays as many episodes
// as the table in docs/learning.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "leadline/sim/evaluation.h"

namespace leadline {
namespace {

std::shared_ptr<const WeightsFile> Shipped(const std::string& name) {
  auto weights = ReadWeightsFile(LEADLINE_SOURCE_DIR "/config/models/" + name + ".bin");
  EXPECT_TRUE(weights) << weights.error().message();
  return std::make_shared<const WeightsFile>(std::move(weights).value());
}

std::vector<PolicyResult> Compare(const std::string& model, EvaluationOptions options) {
  std::vector<std::unique_ptr<PlacementPolicy>> policies;
  policies.push_back(MakeLeastAllocatedPolicy());
  policies.push_back(MakeRandomPolicy());
  policies.push_back(MakeNetworkPolicy(Shipped(model), model).value());
  const char* slow = std::getenv("LEADLINE_SLOW");
  options.episodes = slow != nullptr && std::string(slow) == "1" ? 40 : 12;
  auto results = Evaluate(policies, options).value();
  std::fputs(FormatResults(results).c_str(), stdout);
  return results;
}

double Lowest(const PolicyResult& a, const PolicyResult& b) {
  const Estimate gain = PairedDifference(a, b);
  return gain.mean - gain.half_width;
}

TEST(ShippedWeightsTest, RichBeatsLeastAllocatedAndRandom) {
  const auto results = Compare("rich", {});
  EXPECT_GT(Lowest(results[2], results[0]), 0);
  EXPECT_GT(Lowest(results[2], results[1]), 0);
  EXPECT_LT(results[2].reject_share, 0.05);
}

TEST(ShippedWeightsTest, RichDoesSoInTheDemoNearerAndAlmostAsEven) {
  EvaluationOptions options;
  options.demo = true;
  const auto results = Compare("rich", options);
  EXPECT_GT(Lowest(results[2], results[0]), 0);
  EXPECT_LT(results[2].latency_ms, results[0].latency_ms);
  // Far nearer to even than random choice.
  EXPECT_LT(results[2].cpu_deviation,
            results[0].cpu_deviation + 0.4 * (results[1].cpu_deviation - results[0].cpu_deviation));
  EXPECT_EQ(results[2].reject_share, 0);
}

TEST(ShippedWeightsTest, ThreeBeatsRandomAndIsNoWorseThanLeastAllocated) {
  const auto results = Compare("three", {});
  EXPECT_GT(Lowest(results[2], results[1]), 0);
  EXPECT_GT(PairedDifference(results[2], results[0]).mean, -0.01);
  EXPECT_LT(results[2].reject_share, 0.05);
}

// Sizes beyond those of the training. A node is idle or busy, near or far; the Pod asks little.
class AnySizeTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Nodes, AnySizeTest, testing::Values(1, 3, 12, 200, 5000));

TEST_P(AnySizeTest, TakesAnIdleNearNodeAndDoesNotReject) {
  for (const char* model : {"rich", "three"}) {
    const auto weights = Shipped(model);
    const auto encoder = MakeEncoder(weights->info.encoder).value();
    Rng rng(GetParam());
    for (int round = 0; round < 20; ++round) {
      std::vector<NodeState> nodes(GetParam());
      for (NodeState& node : nodes) {
        node.cpu_ratio = 0.5 + 0.4 * rng.Uniform();
        node.memory_ratio = *node.cpu_ratio;
        node.latency_ms = 20 + 60 * rng.Uniform();
        node.allocatable_milli_cpu = 8000;
        node.allocatable_memory = 0x1p35;
        node.requested_milli_cpu = *node.cpu_ratio * 8000;
        node.requested_memory = *node.cpu_ratio * 0x1p35;
        node.pods = 20;
        node.allocatable_pods = 110;
      }
      const std::size_t best = rng.Below(nodes.size());
      nodes[best].cpu_ratio = nodes[best].memory_ratio = 0.3;
      nodes[best].requested_milli_cpu = 2400;
      nodes[best].requested_memory = 0.3 * 0x1p35;
      nodes[best].latency_ms = 5;
      Observation seen;
      encoder->Encode(nodes, {500, 0x1p30}, &seen);
      QNetwork::Workspace workspace;
      std::vector<float> values;
      weights->network.Forward(seen.rows, seen.context, &workspace, &values);
      const auto highest = std::max_element(values.begin(), values.end()) - values.begin();
      EXPECT_EQ(static_cast<std::size_t>(highest), best) << model << " round " << round;
    }
  }
}

}  // namespace
}  // namespace leadline

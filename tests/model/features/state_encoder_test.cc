#include "leadline/features/state_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "leadline/base/rng.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NodeState Node(double cpu, double memory, double latency_ms) {
  NodeState node;
  node.cpu_ratio = cpu;
  node.memory_ratio = memory;
  node.latency_ms = latency_ms;
  node.requested_milli_cpu = 1000;
  node.allocatable_milli_cpu = 4000;
  node.requested_memory = 0x1p30;
  node.allocatable_memory = 0x1p34;
  node.pods = 11;
  node.allocatable_pods = 110;
  return node;
}

constexpr PodFeatures kPod = {500, 0x1p29};

std::unique_ptr<StateEncoder> Make(std::string_view name) { return MakeEncoder(name).value(); }

float Feature(const StateEncoder& encoder, const Observation& seen, std::size_t node,
              std::string_view name) {
  const auto& names = encoder.FeatureNames();
  const auto at = std::find(names.begin(), names.end(), name) - names.begin();
  return seen.rows.at(node * seen.width + static_cast<std::size_t>(at));
}

// A number of any kind that a broken exporter or API object may bring.
double Odd(Rng& rng) {
  constexpr double kOdd[] = {0.0,
                             -1.0,
                             1e300,
                             -1e300,
                             5e-324,
                             std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
  return rng.Below(2) == 0 ? kOdd[rng.Below(std::size(kOdd))] : rng.Uniform() * 1e6;
}

std::optional<double> MaybeOdd(Rng& rng) {
  if (rng.Below(3) == 0) return std::nullopt;
  return Odd(rng);
}

NodeState OddNode(Rng& rng) {
  return {MaybeOdd(rng), MaybeOdd(rng), MaybeOdd(rng), Odd(rng), Odd(rng),
          Odd(rng),      Odd(rng),      Odd(rng),      Odd(rng)};
}

TEST(MakeEncoderTest, UnknownNameIsRefusedWithTheKnownOnes) {
  const auto encoder = MakeEncoder("four");
  ASSERT_FALSE(encoder);
  EXPECT_EQ(encoder.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(encoder.error().message(), HasSubstr("\"four\""));
  EXPECT_THAT(encoder.error().message(), HasSubstr("\"three\""));
  EXPECT_THAT(encoder.error().message(), HasSubstr("\"rich\""));
}

TEST(ThreeEncoderTest, RowsAreTheContractOfTheLogs) {
  const auto encoder = Make("three");
  EXPECT_EQ(encoder->Name(), "three");
  EXPECT_THAT(encoder->FeatureNames(), ElementsAre("cpu_ratio", "memory_ratio", "latency"));
  Observation seen;
  encoder->Encode(std::vector{Node(0.25, 0.5, 25), Node(0.75, 1.0, 300)}, kPod, &seen);
  EXPECT_EQ(seen.nodes, 2u);
  EXPECT_EQ(seen.width, 3u);
  EXPECT_THAT(seen.rows, ElementsAre(0.25f, 0.5f, 0.25f, 0.75f, 1.0f, 1.0f));
}

TEST(ThreeEncoderTest, ContextBeginsWithMeansAndMaxima) {
  const auto encoder = Make("three");
  Observation seen;
  encoder->Encode(std::vector{Node(0.25, 0.5, 25), Node(0.75, 1.0, 75)}, kPod, &seen);
  ASSERT_EQ(seen.context.size(), encoder->context_width());
  const std::vector<float> pooled(seen.context.begin(), seen.context.begin() + 6);
  EXPECT_THAT(pooled, ElementsAre(0.5f, 0.75f, 0.5f, 0.75f, 1.0f, 0.75f));
}

TEST(ThreeEncoderTest, WhatNobodyMeasuredIsTakenToBeAsOnTheOthers) {
  const auto encoder = Make("three");
  std::vector<NodeState> nodes = {Node(0.2, 0.5, 10), Node(0.4, 0.5, 10), {}};
  Observation seen;
  encoder->Encode(nodes, kPod, &seen);
  EXPECT_FLOAT_EQ(seen.rows[6], 0.3f);
  EXPECT_FLOAT_EQ(seen.rows[7], 0.5f);
  EXPECT_FLOAT_EQ(seen.rows[8], 0.1f);
}

TEST(RichEncoderTest, HasSixteenNamedFeaturesBeginningWithTheThree) {
  const auto encoder = Make("rich");
  const auto& names = encoder->FeatureNames();
  EXPECT_EQ(encoder->width(), 16u);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 16u);
  const auto three = Make("three");
  const auto& first = three->FeatureNames();
  EXPECT_TRUE(std::equal(first.begin(), first.end(), names.begin()));
}

TEST(RichEncoderTest, TellsHowTheNodeLooksWithThePodOnIt) {
  const auto encoder = Make("rich");
  Observation seen;
  encoder->Encode(std::vector{Node(0.5, 0.25, 10)}, kPod, &seen);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "cpu_used_after"), 0.5f + 500.0f / 4000);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "cpu_requested_after"), 1500.0f / 4000);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "memory_requested_after"), 1.5f / 16);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "pods"), 0.1f);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "unmeasured"), 0.0f);
}

TEST(RichEncoderTest, TellsOnWhichSideOfTheMeanTheNodeWouldBe) {
  const auto encoder = Make("rich");
  Observation seen;
  encoder->Encode(std::vector{Node(0.2, 0.5, 10), Node(0.6, 0.5, 10)}, kPod, &seen);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 0, "cpu_above_mean"), 0.5f + 0.325f - 0.4f);
  EXPECT_FLOAT_EQ(Feature(*encoder, seen, 1, "cpu_above_mean"), 0.5f + 0.725f - 0.4f);
}

TEST(RichEncoderTest, TellsWhatIsMissing) {
  const auto encoder = Make("rich");
  NodeState node = Node(0.5, 0.5, 10);
  node.latency_ms.reset();
  Observation seen;
  encoder->Encode(std::vector{node}, kPod, &seen);
  EXPECT_NEAR(Feature(*encoder, seen, 0, "unmeasured"), 1.0 / 3, 1e-6);
}

TEST(RichEncoderTest, LogLatencySeparatesWhatTheCappedOneCannot) {
  const auto encoder = Make("rich");
  Observation seen;
  encoder->Encode(std::vector{Node(0.5, 0.5, 150), Node(0.5, 0.5, 600)}, kPod, &seen);
  EXPECT_EQ(Feature(*encoder, seen, 0, "latency"), Feature(*encoder, seen, 1, "latency"));
  EXPECT_LT(Feature(*encoder, seen, 0, "latency_log"), Feature(*encoder, seen, 1, "latency_log"));
}

class EveryEncoderTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Names, EveryEncoderTest, testing::Values("three", "rich"));

TEST_P(EveryEncoderTest, EveryValueIsFiniteAndBoundedWhateverComesIn) {
  const auto encoder = Make(GetParam());
  Rng rng(7);
  Observation seen;
  for (int round = 0; round < 2000; ++round) {
    std::vector<NodeState> nodes(rng.Below(6));
    for (NodeState& node : nodes) node = OddNode(rng);
    encoder->Encode(nodes, {Odd(rng), Odd(rng)}, &seen);
    ASSERT_EQ(seen.rows.size(), nodes.size() * encoder->width());
    ASSERT_EQ(seen.context.size(), encoder->context_width());
    for (const auto* values : {&seen.rows, &seen.context}) {
      for (float value : *values) ASSERT_TRUE(value >= 0.0f && value <= 1.0f) << value;
    }
  }
}

TEST_P(EveryEncoderTest, NotANumberIsAsMissing) {
  const auto encoder = Make(GetParam());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NodeState known = Node(0.4, 0.6, 40);
  NodeState broken = Node(nan, nan, nan), missing = broken;
  missing.cpu_ratio = missing.memory_ratio = missing.latency_ms = std::nullopt;
  Observation of_broken, of_missing;
  encoder->Encode(std::vector{known, broken}, kPod, &of_broken);
  encoder->Encode(std::vector{known, missing}, kPod, &of_missing);
  EXPECT_EQ(of_broken.rows, of_missing.rows);
}

TEST_P(EveryEncoderTest, RowsFollowTheirNodesInAnyOrder) {
  const auto encoder = Make(GetParam());
  const NodeState a = Node(0.1, 0.9, 3), b = Node(0.7, 0.2, 40);
  Observation forth, back;
  encoder->Encode(std::vector{a, b}, kPod, &forth);
  encoder->Encode(std::vector{b, a}, kPod, &back);
  std::rotate(back.rows.begin(), back.rows.begin() + static_cast<std::ptrdiff_t>(back.width),
              back.rows.end());
  EXPECT_EQ(forth.rows, back.rows);
  EXPECT_EQ(forth.context, back.context);
}

TEST_P(EveryEncoderTest, NothingOfAnEarlierCallStays) {
  const auto encoder = Make(GetParam());
  Observation reused, fresh;
  encoder->Encode(std::vector{Node(0.9, 0.9, 90), Node(0.8, 0.8, 80)}, kPod, &reused);
  encoder->Encode(std::vector{Node(0.1, 0.2, 3)}, kPod, &reused);
  encoder->Encode(std::vector{Node(0.1, 0.2, 3)}, kPod, &fresh);
  EXPECT_EQ(reused.nodes, 1u);
  EXPECT_EQ(reused.rows, fresh.rows);
  EXPECT_EQ(reused.context, fresh.context);
}

}  // namespace
}  // namespace leadline

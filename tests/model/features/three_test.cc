#include "leadline/features/three.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace leadline {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(EncodeThreeTest, DividesLatencyByHundredMilliseconds) {
  EXPECT_THAT(EncodeThree(0.25, 0.5, 30.0),
              ElementsAre(DoubleEq(0.25), DoubleEq(0.5), DoubleEq(0.3)));
}

TEST(EncodeThreeTest, ClampsToOne) {
  EXPECT_THAT(EncodeThree(1.7, 2.0, 250.0), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(EncodeThree(-0.1, -5.0, -1.0), ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(EncodeThree(kInfinity, -kInfinity, 1e300), ElementsAre(1.0, 0.0, 1.0));
}

TEST(EncodeThreeTest, MissingAndNotANumberBecomeTheStandIn) {
  EXPECT_THAT(EncodeThree({}, {}, {}), ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(EncodeThree(kNan, {}, kNan, {0.1, 0.2, 0.3}), ElementsAre(0.1, 0.2, 0.3));
}

TEST(EncodeThreeTest, ZeroIsAValueNotMissing) {
  EXPECT_THAT(EncodeThree(0.0, 0.0, 0.0), ElementsAre(0.0, 0.0, 0.0));
}

TEST(MeanOfKnownTest, LeavesOutWhatIsMissing) {
  std::vector<NodeState> nodes(3);
  nodes[0].cpu_ratio = 0.2;
  nodes[1].cpu_ratio = 0.6;
  nodes[2].memory_ratio = 0.9;
  EXPECT_THAT(MeanOfKnown(nodes), ElementsAre(DoubleEq(0.4), DoubleEq(0.9), DoubleEq(0.5)));
}

TEST(MeanOfKnownTest, MovesInHundredths) {
  // So that one bind among thousands leaves the rows of all other nodes as they were.
  std::vector<NodeState> nodes(1000);
  for (NodeState& node : nodes) node.cpu_ratio = 0.3;
  const ThreeDefaults before = MeanOfKnown(nodes);
  nodes[0].cpu_ratio = 0.9;
  EXPECT_EQ(MeanOfKnown(nodes), before);
}

TEST(MeanOfKnownTest, WithoutNodesNothingIsKnown) { EXPECT_EQ(MeanOfKnown({}), kNothingKnown); }

}  // namespace
}  // namespace leadline

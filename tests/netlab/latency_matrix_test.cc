#include "netlab/latency_matrix.h"

#include <gmock/gmock.h>

#include <sstream>

namespace leadline::netlab {
namespace {

using std::chrono::microseconds;
using ::testing::HasSubstr;

Result<LatencyMatrix> Read(const std::string& text) {
  std::istringstream in(text);
  return LatencyMatrix::Read(in, "m.tsv");
}

TEST(LatencyMatrix, HalvesRoundTrips) {
  const auto matrix = Read("# ms\n0\t6.152\n\n13.0 0\n");
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(matrix->size(), 2u);
  EXPECT_EQ(matrix->OneWay(0, 1), microseconds(3076));
  EXPECT_EQ(matrix->OneWay(1, 0), microseconds(6500));
  EXPECT_EQ(matrix->OneWay(1, 1), microseconds(0));
}

TEST(LatencyMatrix, ReadsTheDemosMatrix) {
  const auto matrix = LatencyMatrix::Load(LEADLINE_SOURCE_DIR "/tools/demo/data/latency.tsv");
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(matrix->size(), 12u);
}

TEST(LatencyMatrix, NamesLineAndWordOfAMistake) {
  for (const char* bad : {"0 1\n1 x\n", "0 1\n1 x\n0 0\n", "0 1\n1 x", "\t0 1\r\n1 x\r\n"}) {
    const auto matrix = Read(bad);
    ASSERT_FALSE(matrix) << bad;
    EXPECT_THAT(matrix.error().message(), HasSubstr("m.tsv:2: \"x\""));
  }
}

TEST(LatencyMatrix, RefusesWhatIsNoSquareOfTimes) {
  for (const char* bad : {"", "# none\n", "0 1\n", "0 1\n1\n", "0 -1\n1 0\n", "0 nan\n1 0\n",
                          "0 inf\n1 0\n", "0 1e9\n1 0\n", "0 1s\n1 0\n"}) {
    EXPECT_FALSE(Read(bad)) << bad;
  }
}

TEST(LatencyMatrix, NamesAMissingFile) {
  const auto matrix = LatencyMatrix::Load("/nowhere/m.tsv");
  ASSERT_FALSE(matrix);
  EXPECT_THAT(matrix.error().message(), HasSubstr("/nowhere/m.tsv: No such file"));
}

}  // namespace
}  // namespace leadline::netlab

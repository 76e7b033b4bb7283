#include "leadline/nn/weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>

#include <unistd.h>

#include "leadline/nn/bytes.h"

namespace leadline {
namespace {

using testing::HasSubstr;

class WeightsFileTest : public testing::Test {
 protected:
  WeightsFileTest() {
    Rng rng(11);
    weights_.info = {"three", "by hand", 11, 4000, 0};
    weights_.network = QNetwork({3, 9, {8}, {4}}, rng);
    std::filesystem::create_directories(directory_);
  }
  ~WeightsFileTest() override { std::filesystem::remove_all(directory_); }

  // As if `bytes` had been written so: with a checksum that is right.
  static std::string Sealed(std::string_view bytes) {
    ByteWriter out;
    out.Raw(bytes.substr(0, bytes.size() - 4));
    out.U32(Crc32(out.bytes()));
    return out.bytes();
  }
  void ExpectRefused(std::string_view bytes, ErrorCode code, const std::string& says) {
    const auto parsed = ParseWeights(bytes);
    ASSERT_FALSE(parsed) << says;
    EXPECT_EQ(parsed.error().code(), code) << parsed.error().message();
    EXPECT_THAT(parsed.error().message(), HasSubstr(says));
  }

  WeightsFile weights_;
  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("leadline-weights-" + std::to_string(getpid()));
  const std::string path_ = directory_ / "model_weights.bin";
};

TEST_F(WeightsFileTest, ComesBackAsItWas) {
  ASSERT_TRUE(WriteWeightsFile(path_, weights_));
  const auto read = ReadWeightsFile(path_);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->info.encoder, "three");
  EXPECT_EQ(read->info.method, "by hand");
  EXPECT_EQ(read->info.seed, 11u);
  EXPECT_EQ(read->info.steps, 4000u);
  EXPECT_EQ(read->network.shape(), weights_.network.shape());
  EXPECT_EQ(read->network.Parameters(), weights_.network.Parameters());
}

TEST_F(WeightsFileTest, TheVersionTellsFilesApart) {
  const auto first = ParseWeights(FormatWeights(weights_));
  ++weights_.info.steps;
  const auto second = ParseWeights(FormatWeights(weights_));
  EXPECT_EQ(first->Version().size(), 8u);
  EXPECT_NE(first->Version(), second->Version());
}

TEST_F(WeightsFileTest, LeavesNothingBesideTheFileAndReplacesTheOldOne) {
  std::ofstream(path_) << "old";
  ASSERT_TRUE(WriteWeightsFile(path_, weights_));
  EXPECT_TRUE(ReadWeightsFile(path_));
  const auto begin = std::filesystem::directory_iterator(directory_);
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

TEST_F(WeightsFileTest, AFailedWriteSaysWhere) {
  const std::string nowhere = directory_ / "no-such-directory" / "w.bin";
  const auto written = WriteWeightsFile(nowhere, weights_);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(written.error().message(), HasSubstr(nowhere));
}

TEST_F(WeightsFileTest, AMissingFileIsNamed) {
  const auto read = ReadWeightsFile(path_);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(read.error().message(), HasSubstr(path_));
}

TEST_F(WeightsFileTest, ADamagedFileIsNamedToo) {
  std::ofstream(path_) << "LLWEIGHT";
  const auto read = ReadWeightsFile(path_);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr(path_));
}

TEST_F(WeightsFileTest, EveryTruncationIsRefused) {
  const std::string whole = FormatWeights(weights_);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_FALSE(ParseWeights(std::string_view(whole).substr(0, size))) << size;
  }
  ExpectRefused(whole.substr(0, 10), ErrorCode::kDataLoss, "truncated");
}

TEST_F(WeightsFileTest, EveryFlippedBitIsRefused) {
  const std::string whole = FormatWeights(weights_);
  for (std::size_t i = 0; i < whole.size() * 8; ++i) {
    std::string flipped = whole;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    ASSERT_FALSE(ParseWeights(flipped)) << "bit " << i;
  }
}

TEST_F(WeightsFileTest, SaysWhatIsWrong) {
  std::string bytes = FormatWeights(weights_);
  ExpectRefused("PK\x03\x04" + bytes, ErrorCode::kInvalidArgument, "not a weights file");
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  ExpectRefused(damaged, ErrorCode::kDataLoss, "checksum");
  std::string newer = bytes;
  newer[8] = 9;
  ExpectRefused(Sealed(newer), ErrorCode::kInvalidArgument, "format version 9");
  ExpectRefused(Sealed(bytes + "more"), ErrorCode::kDataLoss, "bytes after");
}

TEST_F(WeightsFileTest, RefusesWeightsThatAreNotFinite) {
  for (float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::string bytes = FormatWeights(weights_);
    const auto bits = std::bit_cast<std::uint32_t>(bad);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[bytes.size() - 8 + i] = static_cast<char>(bits >> (8 * i));
    }
    ExpectRefused(Sealed(bytes), ErrorCode::kInvalidArgument, "not a finite number");
  }
}

TEST_F(WeightsFileTest, RefusesAShapeThatCannotBe) {
  const std::size_t row_width = 8 + 4 + (1 + 5) + (1 + 7) + 8 + 8;
  for (std::uint32_t width : {0u, 4u, 0xffffffffu}) {
    std::string bytes = FormatWeights(weights_);
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[row_width + i] = static_cast<char>(width >> (8 * i));
    }
    ExpectRefused(Sealed(bytes), ErrorCode::kInvalidArgument, "shape");
  }
}

TEST_F(WeightsFileTest, MatchesNamesBothSides) {
  EXPECT_TRUE(weights_.Matches("three", 3, 9));
  const auto encoder = weights_.Matches("rich", 16, 35);
  ASSERT_FALSE(encoder);
  EXPECT_THAT(encoder.error().message(), HasSubstr("\"three\""));
  EXPECT_THAT(encoder.error().message(), HasSubstr("\"rich\""));
  const auto shape = weights_.Matches("three", 4, 11);
  ASSERT_FALSE(shape);
  EXPECT_THAT(shape.error().message(), HasSubstr("take 3 values a node and 9 of context"));
  EXPECT_THAT(shape.error().message(), HasSubstr("gives 4 and 11"));
}

}  // namespace
}  // namespace leadline

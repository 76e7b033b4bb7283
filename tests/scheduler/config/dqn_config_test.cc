#include "leadline/config/dqn_config.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DqnConfigTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(directory_); }
  void TearDown() override { fs::remove_all(directory_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
    return directory_ + "/" + name;
  }

  const std::string directory_ = testing::TempDir() + "dqn_config_test";
};

TEST_F(DqnConfigTest, TheShippedFilesAreRight) {
  const std::string shipped = LEADLINE_SOURCE_DIR "/config/";
  const auto dqn = LoadDqnConfig(shipped + "dqn.yaml");
  ASSERT_TRUE(dqn.has_value()) << dqn.error().message();
  EXPECT_FALSE(dqn->explore);
  EXPECT_EQ(dqn->decoder.max_rejections, 3);
  const auto reward = LoadReward(shipped + "reward.yaml");
  ASSERT_TRUE(reward.has_value()) << reward.error().message();
  EXPECT_EQ(reward->reward.latency_penalty, -0.8);
  const auto model = LoadModel(shipped + "model.yaml");
  ASSERT_TRUE(model.has_value()) << model.error().message();
  EXPECT_NE(model->weights, nullptr);
}

TEST_F(DqnConfigTest, AWrongFallbackIsNamed) {
  const auto config =
      LoadDqnConfig(Write("dqn.yaml", "fallbacks:\n- {when: no_modle, use: least_allocated}\n"));
  ASSERT_FALSE(config.has_value());
  EXPECT_THAT(config.error().message(), HasSubstr("dqn.yaml:2: fallbacks[0].when:"));
  EXPECT_THAT(config.error().message(), HasSubstr("no_model"));
}

TEST_F(DqnConfigTest, RewardsThatWouldAlwaysBeZeroAreRefused) {
  const auto zero =
      LoadReward(Write("reward.yaml", "cpu_weight: 0\nmem_weight: 0\nlatency_penalty: 0\n"));
  ASSERT_FALSE(zero.has_value());
  EXPECT_THAT(zero.error().message(), HasSubstr("reward.yaml:"));
  const auto unknown = LoadReward(Write("reward.yaml", "events:\n  PodSheduled: 1\n"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message(), HasSubstr("PodSheduled"));
}

TEST_F(DqnConfigTest, WeightsOfAnotherEncoderAreRefusedByBothNames) {
  WeightsFile weights;
  weights.info.encoder = "three";
  QNetworkShape shape;
  shape.row_width = 3;
  shape.context_width = 9;
  weights.network = QNetwork(shape);
  ASSERT_TRUE(WriteWeightsFile(directory_ + "/w.bin", weights).has_value());
  const auto model = LoadModel(Write("model.yaml", "weights: w.bin\nencoder: rich\n"));
  ASSERT_FALSE(model.has_value());
  EXPECT_THAT(model.error().message(), HasSubstr("model.yaml:1: weights"));
  EXPECT_THAT(model.error().message(), HasSubstr("three"));
  EXPECT_THAT(model.error().message(), HasSubstr("rich"));
}

TEST_F(DqnConfigTest, MissingWeightsAreNamed) {
  const auto model = LoadModel(Write("model.yaml", "weights: absent.bin\nencoder: rich\n"));
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(model.error().message(), HasSubstr(directory_ + "/absent.bin"));
}

TEST_F(DqnConfigTest, NoWeightsAreNoMistake) {
  const auto model = LoadModel(Write("model.yaml", "encoder: three\n"));
  ASSERT_TRUE(model.has_value());
  EXPECT_EQ(model->weights, nullptr);
}

TEST_F(DqnConfigTest, ArgumentsAreRelativeToTheirFile) {
  const auto document = YamlDocument::Parse(
      "args: {dqn: dqn.yaml, logs: {directory: logs, keepFiles: 5}, modle: x}\n", "/etc/l/s.yaml");
  const DqnScoreArgs args = ReadDqnScoreArgs(document->root().Get("args"), *document);
  EXPECT_EQ(args.dqn, "/etc/l/dqn.yaml");
  EXPECT_EQ(args.logs.directory, "/etc/l/logs");
  EXPECT_EQ(args.logs.rotation.keep, 5);
  EXPECT_THAT(document->Check().error().message(), HasSubstr("args.modle: unknown key"));
}

}  // namespace
}  // namespace leadline

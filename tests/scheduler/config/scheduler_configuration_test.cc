#include "leadline/config/scheduler_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Result<SchedulerConfiguration> Parse(const std::string& text) {
  return ParseSchedulerConfiguration(*YamlDocument::Parse(text, "s.yaml"));
}

TEST(SchedulerConfigurationTest, ReadsProfilesPluginsAndArguments) {
  const auto configuration = Parse(std::string(kHead) + R"(
podInitialBackoffSeconds: 0.5
profiles:
- schedulerName: a
  plugins:
    multiPoint:
      enabled: [{name: DQNScore, weight: 10000}]
    filter:
      disabled: [{name: NodePorts}]
  pluginConfig:
  - name: NodeResourcesFit
    args: {ignoredResources: [x.io/y]}
- schedulerName: b
)");
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message();
  EXPECT_EQ(configuration->initial_backoff, milliseconds(500));
  ASSERT_EQ(configuration->profiles.size(), 2u);
  const ProfileConfig& profile = configuration->profiles[0];
  EXPECT_EQ(profile.scheduler_name, "a");
  EXPECT_EQ(profile.multi_point.enabled[0].name, "DQNScore");
  EXPECT_EQ(profile.multi_point.enabled[0].weight, 10000);
  EXPECT_EQ(profile.points.at(ExtensionPoint::kFilter).disabled[0], "NodePorts");
  EXPECT_TRUE(profile.args.at("NodeResourcesFit").Get("ignoredResources").IsSequence());
}

TEST(SchedulerConfigurationTest, TheShippedFileIsRight) {
  const auto configuration =
      LoadSchedulerConfiguration(LEADLINE_SOURCE_DIR "/config/scheduler.yaml");
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message();
  ASSERT_EQ(configuration->profiles.size(), 1u);
  EXPECT_EQ(configuration->profiles[0].scheduler_name, "dqn-scheduler");
}

TEST(SchedulerConfigurationTest, TellsEveryMistakeAtOnce) {
  const auto configuration = Parse(R"(apiVersion: kubescheduler.config.k8s.io/v1beta3
kind: KubeSchedulerConfiguration
parallelism: 16
percentageOfNodesToScore: 50
podInitialBackoffSeconds: 20
leaderElection: {retryPeriod: 9s}
profiles:
- schedulerName: a
  plugins: {filters: {}}
- schedulerName: a
)");
  ASSERT_FALSE(configuration.has_value());
  const std::string text = configuration.error().message();
  EXPECT_THAT(text, HasSubstr("s.yaml:1: apiVersion: expected \"kubescheduler.config.k8s.io/v1\""));
  EXPECT_THAT(text, HasSubstr("s.yaml:3: parallelism: parallelism is not supported yet"));
  EXPECT_THAT(text, HasSubstr("s.yaml:4: percentageOfNodesToScore: expected 0 or 100"));
  EXPECT_THAT(text, HasSubstr("podMaxBackoffSeconds: expected at least"));
  EXPECT_THAT(text, HasSubstr("s.yaml:6: leaderElection: retryPeriod: expected less than"));
  EXPECT_THAT(text, HasSubstr("s.yaml:9: profiles[0].plugins.filters: unknown key"));
  EXPECT_THAT(text, HasSubstr("s.yaml:10: profiles[1].schedulerName: \"a\" is the name of two"));
}

TEST(SchedulerConfigurationTest, AnUnknownPluginIsNamedWithItsPlace) {
  const auto configuration = Parse(std::string(kHead) + R"(profiles:
- plugins:
    filter:
      enabled: [{name: NodePortz}]
      disabled: [{name: "*"}, {name: NodeName}]
  pluginConfig:
  - {name: DQNScor, args: {}}
)");
  ASSERT_TRUE(configuration.has_value()) << configuration.error().message();
  const auto checked = CheckPluginNames(*configuration, {"DQNScore", "NodeName", "NodePorts"});
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message(),
            "s.yaml:6: profiles[0].plugins.filter.enabled[0].name: there is no plugin "
            "\"NodePortz\"; there are DQNScore, NodeName, NodePorts\n"
            "s.yaml:9: profiles[0].pluginConfig[0].name: there is no plugin \"DQNScor\"; there are "
            "DQNScore, NodeName, NodePorts");
}

TEST(SchedulerConfigurationTest, WithoutProfilesTheDefaultOne) {
  const auto configuration = Parse(kHead);
  ASSERT_TRUE(configuration.has_value());
  EXPECT_EQ(configuration->profiles[0].multi_point.enabled[0].weight, 10000);
}

}  // namespace
}  // namespace leadline

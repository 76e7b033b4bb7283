#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;

class UnsupportedFeaturesTest : public PluginFixture {
 protected:
  std::string Refusal(const std::string& spec) {
    const Status status = PreFilter("UnsupportedFeatures", MakePod(R"({"spec":)" + spec + "}"));
    EXPECT_NE(status.code(), Status::Code::kUnschedulable);  // evicting others would not help
    return status.Message();
  }
};

TEST_F(UnsupportedFeaturesTest, NamesWhatIsMissing) {
  EXPECT_THAT(Refusal(R"({"volumes":[{"name":"v","inventedTomorrow":{}}]})"),
              HasSubstr("inventedTomorrow volume \"v\""));
  EXPECT_THAT(Refusal(R"({"resourceClaims":[{"name":"gpu"}]})"), HasSubstr("resource claims"));
  EXPECT_THAT(Refusal(R"({"schedulingGroup":{"podGroupName":"g"}})"), HasSubstr("pod groups"));
}

TEST_F(UnsupportedFeaturesTest, LetsOrdinaryPodsPass) {
  EXPECT_EQ(Refusal("{}"), "");
  EXPECT_EQ(Refusal(R"({"volumes":[{"name":"a","emptyDir":{}},{"name":"b","projected":{}},
      {"name":"c","csi":{}},{"name":"e","gcePersistentDisk":{}},{"name":"d"},
      {"name":"f","persistentVolumeClaim":{"claimName":"c"}},{"name":"g","ephemeral":{}}],
      "hostUsers":false,
      "topologySpreadConstraints":[{"whenUnsatisfiable":"DoNotSchedule"}],
      "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}})"),
            "");
}

}  // namespace
}  // namespace leadline

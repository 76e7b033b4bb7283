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
  const std::string affinity = R"({"requiredDuringSchedulingIgnoredDuringExecution":[{}]})";
  EXPECT_EQ(
      Refusal(R"({"affinity":{"podAffinity":)" + affinity + R"(,"podAntiAffinity":)" + affinity +
              "}}"),
      "this scheduler does not support yet: required pod affinity, required pod anti-affinity");
  EXPECT_THAT(Refusal(R"({"topologySpreadConstraints":[{"whenUnsatisfiable":"DoNotSchedule"}]})"),
              HasSubstr("topology spread"));
  EXPECT_THAT(Refusal(R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]})"),
              HasSubstr("persistentVolumeClaim volume \"v\""));
  EXPECT_THAT(Refusal(R"({"volumes":[{"name":"v","gcePersistentDisk":{}}]})"),
              HasSubstr("gcePers"));
  EXPECT_THAT(Refusal(R"({"volumes":[{"name":"v","inventedTomorrow":{}}]})"),
              HasSubstr("invented"));
  EXPECT_THAT(Refusal(R"({"resourceClaims":[{"name":"gpu"}]})"), HasSubstr("resource claims"));
  EXPECT_THAT(Refusal(R"({"schedulingGroup":{"podGroupName":"g"}})"), HasSubstr("pod groups"));
  EXPECT_THAT(Refusal(R"({"hostNetwork":true,"hostUsers":false})"), HasSubstr("user namespaces"));
  EXPECT_THAT(
      Refusal(R"({"initContainers":[{"restartPolicyRules":[{"action":"RestartAllContainers"}]}]})"),
      HasSubstr("RestartAllContainers"));
}

TEST_F(UnsupportedFeaturesTest, LetsOrdinaryPodsPass) {
  EXPECT_EQ(Refusal("{}"), "");
  EXPECT_EQ(Refusal(R"({"volumes":[{"name":"a","emptyDir":{}},{"name":"b","projected":{}},
      {"name":"c","csi":{}},{"name":"d"}],"hostUsers":false,
      "topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"}],
      "affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{}]}}})"),
            "");
}

TEST_F(UnsupportedFeaturesTest, FearsTheAntiAffinityOfExistingPods) {
  const auto refused = [&](const std::string& term) {
    const auto node = MakeNode(R"({"metadata":{"name":"n"}})");
    Place(*node,
          R"({"metadata":{"name":"old","namespace":"a"},"spec":{"affinity":{"podAntiAffinity":
        {"requiredDuringSchedulingIgnoredDuringExecution":[)" +
              term + "]}}}}");
    const Snapshot snapshot(1, {node});
    CycleState state("decision", snapshot, 0);
    const PodInfo pod = MakePod(R"({"metadata":{"namespace":"b","labels":{"app":"web"}}})");
    return Make<PreFilterPlugin>("UnsupportedFeatures")->PreFilter(state, pod, &result_).Message();
  };
  const std::string web = R"("labelSelector":{"matchLabels":{"app":"web"}})";
  EXPECT_THAT(refused("{" + web + R"(,"namespaces":["b"]})"), HasSubstr("anti-affinity of a/old"));
  EXPECT_NE(refused("{" + web + R"(,"namespaceSelector":{"matchLabels":{"x":"y"}}})"), "");
  EXPECT_EQ(refused("{" + web + "}"), "");  // only its own namespace
  EXPECT_EQ(refused("{" + web + R"(,"namespaces":["c"]})"), "");
  EXPECT_EQ(refused(R"({"namespaces":["b"]})"), "");  // no selector matches nothing
  EXPECT_EQ(refused(R"({"labelSelector":{"matchLabels":{"app":"db"}},"namespaces":["b"]})"), "");
}

TEST_F(UnsupportedFeaturesTest, IsWokenWhenAPodGoes) {
  EXPECT_THAT(Make<EnqueueExtensions>("UnsupportedFeatures")->EventsToRegister(),
              ::testing::Contains(ClusterEvent::kAssignedPodDelete));
}

}  // namespace
}  // namespace leadline

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/framework/resource.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Resource Requests(const std::string& pod) { return ToResource(PodRequests(ParsePod(pod).value())); }
Resource Bound(const std::string& pod) {
  return ToResource(BoundPodRequests(ParsePod(pod).value()));
}

// A Pod with one CPU request for each of its parts.
std::string Container(const std::string& name, const std::string& cpu, bool sidecar = false) {
  return R"({"name":")" + name + R"(","resources":{"requests":{"cpu":")" + cpu + R"("}})" +
         (sidecar ? R"(,"restartPolicy":"Always"})" : "}");
}

TEST(PodRequestsTest, SidecarsCountForWhatStartsAfterThem) {
  const std::string tail =
      R"(],"containers":[)" + Container("main", "2") + R"(],"overhead":{"cpu":"250m"}}})";
  const std::string first = R"({"spec":{"initContainers":[)" + Container("i1", "100m") + "," +
                            Container("s1", "500m", true) + "," + Container("i2", "3") + tail;
  EXPECT_EQ(Requests(first).milli_cpu, 3750);
  const std::string second = R"({"spec":{"initContainers":[)" + Container("i1", "100m") + "," +
                             Container("i2", "3") + "," + Container("s1", "500m", true) + tail;
  EXPECT_EQ(Requests(second).milli_cpu, 3250);
}

TEST(PodRequestsTest, EachResourceHasItsOwnPeak) {
  const Resource requests = Requests(R"({"spec":{
    "initContainers":[{"resources":{"requests":{"cpu":"3","memory":"1Mi"}}}],
    "containers":[{"resources":{"requests":{"cpu":"1","memory":"2Mi"}}}]}})");
  EXPECT_EQ(requests.milli_cpu, 3000);
  EXPECT_EQ(requests.memory, 2 << 20);
}

TEST(PodRequestsTest, RoundsUpAfterTheSum) {
  const Resource requests = Requests(R"({"spec":{"containers":[
    {"resources":{"requests":{"memory":"1100m"}}}, {"resources":{"requests":{"memory":"400m"}}}]}})");
  EXPECT_EQ(requests.memory, 2);
}

TEST(PodRequestsTest, PodLevelRequestsReplaceTheSumWhereTheyAreNamed) {
  const Resource requests = Requests(R"({"spec":{"overhead":{"cpu":"100m"},
    "resources":{"requests":{"cpu":"1","hugepages-2Mi":"4Mi","example.com/x":"9"}},
    "containers":[{"resources":{"requests":{"cpu":"2","memory":"1Mi","example.com/x":"1"}}}]}})");
  EXPECT_EQ(requests.milli_cpu, 1100);
  EXPECT_EQ(requests.memory, 1 << 20);
  EXPECT_THAT(requests.scalars,
              ElementsAre(Pair("example.com/x", 1), Pair("hugepages-2Mi", 4 << 20)));
}

std::string Resized(const std::string& spec, const std::string& status, const std::string& reason) {
  return R"({"spec":{"containers":[)" + Container("a", spec) +
         R"(]},"status":{"conditions":[{"type":"PodResizePending","reason":")" + reason +
         R"("}],"containerStatuses":[{"name":"a","allocatedResources":{"cpu":")" + status +
         R"("},"resources":{"requests":{"cpu":")" + status + R"("}}}]}})";
}

TEST(BoundPodRequestsTest, BelievesTheLargestOfSpecAllocatedAndInForce) {
  EXPECT_EQ(Bound(Resized("1", "3", "Deferred")).milli_cpu, 3000);
  EXPECT_EQ(Bound(Resized("3", "1", "Deferred")).milli_cpu, 3000);
  EXPECT_EQ(Bound(Resized("3", "1", "Infeasible")).milli_cpu, 1000);
  EXPECT_EQ(Requests(Resized("1", "3", "Deferred")).milli_cpu, 1000);
}

TEST(BoundPodRequestsTest, WithoutStatusesTheSpecStands) {
  const std::string spec = R"({"spec":{"containers":[)" + Container("a", "2") + "]}";
  EXPECT_EQ(Bound(spec + "}").milli_cpu, 2000);
  const std::string infeasible =
      R"(,"status":{"conditions":[{"type":"PodResizePending","reason":"Infeasible"}]}})";
  EXPECT_EQ(Bound(spec + infeasible).milli_cpu, 0);
}

TEST(BoundPodRequestsTest, InForceStandsInForNothingButAllocatedForInForce) {
  const std::string pod = R"({"spec":{"containers":[)" + Container("a", "1") +
                          R"(]},"status":{"containerStatuses":[{"name":"a",)";
  EXPECT_EQ(Bound(pod + R"("allocatedResources":{"cpu":"2"}}]}})").milli_cpu, 2000);
  EXPECT_EQ(Bound(pod + R"("resources":{"requests":{"cpu":"4"}}}]}})").milli_cpu, 4000);
}

TEST(BoundPodRequestsTest, PodStatusReplacesContainerStatuses) {
  const std::string pod = R"({"spec":{"containers":[)" + Container("a", "1") +
                          R"(]},"status":{"containerStatuses":[{"name":"a",
                          "allocatedResources":{"cpu":"9"}}],"allocatedResources":{"cpu":"2"})";
  EXPECT_EQ(Bound(pod + R"(,"resources":{"requests":{"cpu":"3"}}}})").milli_cpu, 3000);
  EXPECT_EQ(Bound(pod + "}}").milli_cpu, 9000);
}

TEST(BoundPodRequestsTest, PodLevelResizeIsNotBelievedEither) {
  const std::string pod = R"({"spec":{"resources":{"requests":{"cpu":"1"}},"containers":[{}]},
      "status":{"resources":{"requests":{"cpu":"3"}},"allocatedResources":{"cpu":"2"})";
  EXPECT_EQ(Bound(pod + "}}").milli_cpu, 3000);
}

TEST(NonZeroRequestsTest, MissingRequestsCountTheDefaultsOfAContainer) {
  const auto non_zero = [](std::string_view json) {
    return ComputeNonZeroRequests(ParsePod(json).value());
  };
  EXPECT_EQ(non_zero(R"({"spec":{"containers":[{},{}]}})").milli_cpu, 200);
  EXPECT_EQ(non_zero(R"({"spec":{"containers":[{},{}]}})").memory, 400 << 20);
  EXPECT_EQ(
      non_zero(R"({"spec":{"containers":[{"resources":{"requests":{"cpu":"0"}}}]}})").milli_cpu, 0);
  EXPECT_EQ(
      non_zero(R"({"spec":{"resources":{"requests":{"cpu":"3"}},"containers":[{},{}]}})").milli_cpu,
      3000);
}

TEST(ResourceTest, CountsOnlyResourcesThatKubernetesCounts) {
  const Resource resource = ToResource({{"attachable-volumes-x", Quantity::FromUnits(1)},
                                        {"batch.kubernetes.io/x", Quantity::FromUnits(2)},
                                        {"example.com/gpu", Quantity::FromUnits(3)},
                                        {"hugepages-1Gi", Quantity::FromUnits(4)},
                                        {"pods", Quantity::FromUnits(5)},
                                        {"requests.cpu/x", Quantity::FromUnits(6)},
                                        {"storage", Quantity::FromUnits(7)}});
  EXPECT_THAT(resource.scalars,
              ElementsAre(Pair("attachable-volumes-x", 1), Pair("batch.kubernetes.io/x", 2),
                          Pair("example.com/gpu", 3), Pair("hugepages-1Gi", 4)));
  EXPECT_EQ(resource.allowed_pods, 5);
  EXPECT_EQ(resource.Scalar("example.com/gpu"), 3);
  EXPECT_EQ(resource.Scalar("example.com/other"), 0);
}

TEST(ResourceTest, AddsAndSubtractsByName) {
  Resource total;
  total.Add(ToResource({{"cpu", Quantity::FromUnits(1)}, {"b.com/x", Quantity::FromUnits(2)}}));
  total.Add(ToResource({{"a.com/x", Quantity::FromUnits(3)}, {"b.com/x", Quantity::FromUnits(1)}}));
  EXPECT_THAT(total.scalars, ElementsAre(Pair("a.com/x", 3), Pair("b.com/x", 3)));
  total.Subtract(
      ToResource({{"cpu", Quantity::FromMilli(400)}, {"b.com/x", Quantity::FromUnits(3)}}));
  EXPECT_EQ(total.milli_cpu, 600);
  EXPECT_EQ(total.Scalar("b.com/x"), 0);
}

}  // namespace
}  // namespace leadline

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::string_view kPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "web-1", "namespace": "shop", "uid": "u-1", "resourceVersion": "42",
    "creationTimestamp": "2026-01-01T01:00:00.5+01:00", "deletionTimestamp": "2026-01-01T00:01:00Z",
    "labels": {"app": "web", "quote": "a\"b"},
    "annotations": {"note": "x", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
    "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "u-0", "controller": true}],
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]},
  "spec": {
    "schedulerName": "dqn-scheduler", "nodeName": "n1", "priority": 7,
    "preemptionPolicy": "Never", "nodeSelector": {"disk": "ssd"},
    "affinity": {
      "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["3"]}],
           "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 5, "preference": {"matchExpressions": [{"key": "z", "operator": "Exists"}]}}]},
      "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": "web"}}, "namespaceSelector": {},
         "namespaces": ["x"], "topologyKey": "zone"}]}},
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute",
                     "tolerationSeconds": 300}],
    "schedulingGates": [{"name": "later"}],
    "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "zone", "minDomains": 3,
      "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": null}],
    "containers": [{"name": "main", "image": "nginx",
      "resources": {"requests": {"memory": "1Gi", "cpu": "250m"}, "limits": {"cpu": 1}},
      "ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1", "protocol": "UDP"},
                {"containerPort": 81}],
      "restartPolicyRules": [{"action": "RestartAllContainers"}]}],
    "initContainers": [{"name": "side", "restartPolicy": "Always"}],
    "overhead": {"cpu": "10m"},
    "resources": {"requests": {"cpu": "2"}},
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}},
                {"name": "tmp", "emptyDir": {}}],
    "resourceClaims": [{"name": "gpu"}],
    "schedulingGroup": {"podGroupName": "gang"},
    "hostNetwork": true, "hostUsers": false},
  "status": {"phase": "Running", "nominatedNodeName": "n2",
    "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                    "message": "no", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
    "podIPs": [{"ip": "10.1.0.1"}],
    "containerStatuses": [{"name": "main", "restartCount": 2, "allocatedResources": {"cpu": "3"},
                           "resources": {"requests": {"cpu": "4"}, "limits": {}}}],
    "initContainerStatuses": [{"name": "side", "restartCount": 1}],
    "allocatedResources": {"cpu": "5"}, "resources": {}}
})";

TEST(ParsePodTest, ReadsMetadata) {
  const Pod pod = ParsePod(kPod).value();
  EXPECT_EQ(pod.metadata.Key(), "shop/web-1");
  EXPECT_EQ(pod.metadata.uid, "u-1");
  EXPECT_EQ(pod.metadata.resource_version, "42");
  EXPECT_EQ(FormatRfc3339(pod.metadata.creation_time, 1), "2026-01-01T00:00:00.5Z");
  EXPECT_TRUE(pod.metadata.deleting);
  EXPECT_THAT(pod.metadata.labels, ElementsAre(Pair("app", "web"), Pair("quote", "a\"b")));
  EXPECT_THAT(pod.metadata.annotations, ElementsAre(Pair("note", "x")));
  ASSERT_EQ(pod.metadata.owners.size(), 1u);
  EXPECT_EQ(pod.metadata.owners[0].kind, "ReplicaSet");
  EXPECT_TRUE(pod.metadata.owners[0].controller);
}

TEST(ParsePodTest, ReadsWhereItMayGo) {
  const PodSpec spec = ParsePod(kPod).value().spec;
  EXPECT_EQ(spec.scheduler_name, "dqn-scheduler");
  EXPECT_EQ(spec.node_name, "n1");
  EXPECT_EQ(spec.priority, 7);
  EXPECT_EQ(spec.preemption_policy, "Never");
  EXPECT_THAT(spec.node_selector, ElementsAre(Pair("disk", "ssd")));
  ASSERT_TRUE(spec.node_affinity.required);
  const NodeSelectorTerm& term = spec.node_affinity.required->at(0);
  EXPECT_EQ(term.match_expressions.at(0).op, Requirement::Operator::kGt);
  EXPECT_THAT(term.match_fields.at(0).values, ElementsAre("n1"));
  EXPECT_EQ(spec.node_affinity.preferred.at(0).weight, 5);
  const PodAffinityTerm& anti = spec.pod_anti_affinity.required.at(0);
  EXPECT_TRUE(anti.label_selector->Matches({{"app", "web"}}));
  EXPECT_TRUE(anti.namespace_selector->requirements.empty());
  EXPECT_THAT(anti.namespaces, ElementsAre("x"));
  EXPECT_EQ(anti.topology_key, "zone");
  EXPECT_EQ(spec.tolerations.at(0).effect, "NoExecute");
  EXPECT_THAT(spec.scheduling_gates, ElementsAre("later"));
  EXPECT_FALSE(spec.spread_constraints.at(0).do_not_schedule);
  EXPECT_EQ(spec.spread_constraints.at(0).min_domains, 3);
  EXPECT_FALSE(spec.spread_constraints.at(0).label_selector);
}

TEST(ParsePodTest, ReadsWhatItNeeds) {
  const PodSpec spec = ParsePod(kPod).value().spec;
  const Container& main = spec.containers.at(0);
  EXPECT_EQ(main.image, "nginx");
  EXPECT_THAT(main.requests, ElementsAre(Pair("cpu", Quantity::FromMilli(250)),
                                         Pair("memory", Quantity::FromUnits(1 << 30))));
  EXPECT_THAT(main.limits, ElementsAre(Pair("cpu", Quantity::FromUnits(1))));
  ASSERT_EQ(main.ports.size(), 1u);
  EXPECT_EQ(main.ports[0].host_port, 8080);
  EXPECT_EQ(main.ports[0].protocol, "UDP");
  EXPECT_TRUE(main.restarts_all_containers);
  EXPECT_TRUE(spec.init_containers.at(0).restart_always);
  EXPECT_EQ(spec.overhead.size(), 1u);
  EXPECT_EQ(spec.pod_requests->at(0).second, Quantity::FromUnits(2));
  EXPECT_EQ(spec.volumes.at(0).kind, "persistentVolumeClaim");
  EXPECT_EQ(spec.volumes.at(0).claim_name, "c");
  EXPECT_EQ(spec.volumes.at(1).kind, "emptyDir");
  EXPECT_EQ(spec.resource_claims, 1);
  EXPECT_EQ(spec.workload, "gang");
  EXPECT_TRUE(spec.host_network);
  EXPECT_EQ(spec.host_users, false);
}

TEST(ParsePodTest, ReadsStatus) {
  const Pod pod = ParsePod(kPod).value();
  EXPECT_EQ(pod.status.phase, "Running");
  EXPECT_EQ(pod.status.nominated_node_name, "n2");
  EXPECT_EQ(pod.FindCondition("PodScheduled")->reason, "Unschedulable");
  EXPECT_EQ(pod.FindCondition("Ready"), nullptr);
  EXPECT_THAT(pod.status.pod_ips, ElementsAre("10.1.0.1"));
  EXPECT_EQ(pod.status.containers.at(0).allocated->at(0).second, Quantity::FromUnits(3));
  EXPECT_EQ(pod.status.containers.at(0).in_force->at(0).second, Quantity::FromUnits(4));
  EXPECT_FALSE(pod.status.init_containers.at(0).allocated);
  EXPECT_EQ(pod.status.restarts, 3);
  EXPECT_TRUE(pod.status.allocated);
  EXPECT_TRUE(pod.status.has_resources);
  EXPECT_FALSE(pod.status.in_force);
}

TEST(ParsePodTest, NullAndMissingAreDefaults) {
  const Pod empty = ParsePod("{}").value();
  EXPECT_EQ(empty.Priority(), 0);
  EXPECT_FALSE(empty.spec.node_affinity.required);
  const auto nulls = ParsePod(R"({"metadata": {"labels": null, "deletionTimestamp": null},
      "spec": {"priority": null, "affinity": null, "containers": [{"resources": null}]}})");
  ASSERT_TRUE(nulls) << nulls.error().message();
  EXPECT_FALSE(nulls->metadata.deleting);
  EXPECT_FALSE(nulls->spec.priority);
}

TEST(ParsePodTest, MistakesNameTheField) {
  const auto message = [](std::string_view json) { return ParsePod(json).error().message(); };
  EXPECT_THAT(message(R"({"spec":{"containers":[{},{"resources":{"requests":{"cpu":"1K"}}}]}})"),
              HasSubstr("Pod spec.containers[1].resources.requests.cpu: quantity '1K'"));
  EXPECT_THAT(message(R"({"metadata":{"name":7}})"),
              HasSubstr("Pod metadata.name: expected a string"));
  EXPECT_THAT(message(R"({"spec":{"tolerations":{}}})"),
              HasSubstr("Pod spec.tolerations: expected an array"));
  EXPECT_THAT(message(R"({"spec":{"priority":5000000000}})"), HasSubstr("spec.priority"));
  EXPECT_THAT(message(R"({"metadata":{"creationTimestamp":"yesterday"}})"),
              HasSubstr("metadata.creationTimestamp: expected a time"));
  EXPECT_FALSE(ParsePod(""));
  EXPECT_FALSE(ParsePod("[]"));
  EXPECT_FALSE(ParsePod(R"({"metadata":{"name":"a")"));
  EXPECT_FALSE(ParsePod("{} {}"));
}

TEST(ParseNodeTest, ReadsWhatSchedulingNeeds) {
  const auto node = ParseNode(R"({
    "metadata": {"name": "n1", "labels": {"zone": "a"}},
    "spec": {"unschedulable": true, "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
    "status": {"allocatable": {"pods": "110", "cpu": "4"}, "capacity": {"cpu": "5"},
      "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
      "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
      "images": [{"names": ["nginx", "nginx@sha256:0"], "sizeBytes": 5000000000}],
      "declaredFeatures": ["A"]}})");
  ASSERT_TRUE(node) << node.error().message();
  EXPECT_TRUE(node->unschedulable);
  EXPECT_THAT(node->taints, ElementsAre(Taint{"k", "v", "NoSchedule"}));
  EXPECT_THAT(node->allocatable, ElementsAre(Pair("cpu", Quantity::FromUnits(4)),
                                             Pair("pods", Quantity::FromUnits(110))));
  EXPECT_EQ(node->capacity.at(0).second.Value(), 5);
  EXPECT_TRUE(node->Ready());
  EXPECT_EQ(node->addresses.at(0).address, "10.0.0.1");
  EXPECT_EQ(node->images.at(0).size_bytes, 5'000'000'000);
  EXPECT_THAT(node->declared_features, ElementsAre("A"));
}

TEST(ParseNodeTest, MistakesNameTheField) {
  const auto node = ParseNode(R"({"status":{"allocatable":{"memory":"12 Gi"}}})");
  ASSERT_FALSE(node);
  EXPECT_THAT(node.error().message(),
              HasSubstr("Node status.allocatable.memory: quantity '12 Gi'"));
}

TEST(ParsePodTest, ReadsDisks) {
  const auto disk = [](const std::string& source) {
    const Pod pod = ParsePod(R"({"spec":{"volumes":[{"name":"v",)" + source + "}]}}").value();
    return pod.spec.volumes.at(0);
  };
  EXPECT_EQ(disk(R"("emptyDir":{})").disk, nullptr);
  EXPECT_EQ(disk(R"("persistentVolumeClaim":{"claimName":"c"})").disk, nullptr);
  EXPECT_EQ(disk(R"("awsElasticBlockStore":{"volumeID":"vol-1"})").disk->id, "vol-1");
  EXPECT_EQ(disk(R"("cinder":{"volumeID":"d","readOnly":null})").disk->read_only, false);
  EXPECT_EQ(disk(R"("iscsi":{"iqn":"q","readOnly":true})").disk->read_only, true);
  const Volume rbd = disk(R"("rbd":{"monitors":["a","b"],"image":"i","pool":"p"})");
  EXPECT_EQ(rbd.disk->id, "i");
  EXPECT_EQ(rbd.disk->pool, "p");
  EXPECT_EQ(rbd.disk->monitors.size(), 2u);
  // Compared by what it says, not by where it is kept.
  EXPECT_TRUE(rbd == disk(R"("rbd":{"pool":"p","image":"i","monitors":["a","b"]})"));
  EXPECT_FALSE(rbd == disk(R"("rbd":{"pool":"p","image":"j","monitors":["a","b"]})"));
  EXPECT_FALSE(rbd == disk(R"("emptyDir":{})"));
}

}  // namespace
}  // namespace leadline

#include "leadline/kubernetes/storage.h"

#include <gmock/gmock.h>

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StorageTest, ReadsClaims) {
  const auto claim = ParsePersistentVolumeClaim(R"({"kind":"PersistentVolumeClaim",
      "metadata":{"name":"c","namespace":"n"},
      "spec":{"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"volumeName":"pv",
              "storageClassName":"new","resources":{"requests":{"storage":"1Gi"}}},
      "status":{"phase":"Bound"}})");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->metadata.Key(), "n/c");
  EXPECT_THAT(claim->access_modes, ElementsAre("ReadWriteOnce", "ReadWriteOncePod"));
  EXPECT_EQ(claim->volume_name, "pv");
  EXPECT_EQ(claim->Class(), "new");
  const auto old = ParsePersistentVolumeClaim(R"({"metadata":{"annotations":{
      "volume.beta.kubernetes.io/storage-class":""}},"spec":{"storageClassName":"new"}})");
  EXPECT_EQ(old->Class(), "");  // the annotation counts even if empty
  EXPECT_EQ(ParsePersistentVolumeClaim(R"({"spec":{"storageClassName":null}})")->Class(), "");
}

TEST(StorageTest, ReadsTheSourcesOfVolumes) {
  const auto csi = ParsePersistentVolume(
      R"({"metadata":{"name":"pv"},"spec":{"capacity":{"storage":"1Gi"},"claimRef":{"kind":"x"},
          "csi":{"driver":"d","volumeHandle":"h","volumeAttributes":{"a":"b"}}}})");
  ASSERT_TRUE(csi);
  EXPECT_EQ(csi->kind, "csi");
  EXPECT_EQ(csi->csi_driver, "d");
  EXPECT_EQ(csi->csi_handle, "h");
  const auto disk = [](const std::string& source) {
    return ParsePersistentVolume(R"({"spec":{"csi":null,)" + source + "}}").value();
  };
  const PersistentVolume gce = disk(R"("gcePersistentDisk":{"pdName":"d","readOnly":true})");
  EXPECT_EQ(gce.kind, "gcePersistentDisk");
  EXPECT_EQ(gce.source.id, "d");
  EXPECT_TRUE(gce.source.read_only);
  EXPECT_EQ(disk(R"("azureDisk":{"diskURI":"u","kind":"Dedicated"})").source.azure_kind,
            "Dedicated");
  EXPECT_EQ(disk(R"("vsphereVolume":{"volumePath":"p"})").source.id, "p");
  EXPECT_EQ(disk(R"("nfs":{"server":"s"})").kind, "");
  EXPECT_EQ(disk(R"("cinder":null)").kind, "");
}

TEST(StorageTest, ReadsWhatAClaimAsksFor) {
  const auto claim = ParsePersistentVolumeClaim(R"({"metadata":{"name":"c"},
      "spec":{"volumeMode":"Block","selector":{"matchLabels":{"a":"b"}},
              "volumeAttributesClassName":"gold","resources":{"requests":{"storage":"1Gi"}}},
      "status":{"phase":"Lost"}})");
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->block);
  EXPECT_TRUE(claim->lost);
  EXPECT_TRUE(claim->selector->Matches({{"a", "b"}}));
  EXPECT_EQ(claim->attributes_class, "gold");
  EXPECT_EQ(claim->storage, Quantity::FromUnits(1 << 30));
  const auto plain = ParsePersistentVolumeClaim(
      R"({"spec":{"volumeMode":"Filesystem","selector":null,"resources":{"requests":{}}},
          "status":{"phase":"Bound"}})");
  EXPECT_FALSE(plain->block || plain->lost || plain->selector || plain->storage);
}

TEST(StorageTest, TellsSettledClaimsFromOthers) {
  const auto bound = [](const std::string& annotations, const std::string& volume) {
    return ParsePersistentVolumeClaim(R"({"metadata":{"annotations":{)" + annotations +
                                      R"(}},"spec":{"volumeName":")" + volume + "\"}}")
        ->FullyBound();
  };
  const std::string settled = R"("pv.kubernetes.io/bind-completed":"")";  // any value
  EXPECT_TRUE(bound(settled, "pv"));
  EXPECT_FALSE(bound(settled, ""));
  EXPECT_FALSE(bound("", "pv"));
}

TEST(StorageTest, ReadsWhomAVolumeIsFor) {
  const auto volume = ParsePersistentVolume(R"({"metadata":{"name":"pv"},
      "spec":{"storageClassName":"s","capacity":{"storage":"2Gi","x":"1"},"volumeMode":"Block",
              "accessModes":["ReadWriteOnce"],"volumeAttributesClassName":"gold",
              "claimRef":{"namespace":"n","name":"c"},"local":{"path":"/d"},
              "nodeAffinity":{"required":{"nodeSelectorTerms":[
                {"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}]}}},
      "status":{"phase":"Available"}})");
  ASSERT_TRUE(volume);
  EXPECT_EQ(volume->storage_class, "s");
  EXPECT_EQ(volume->capacity, Quantity::FromUnits(std::int64_t{2} << 30));
  EXPECT_THAT(volume->access_modes, ElementsAre("ReadWriteOnce"));
  EXPECT_TRUE(volume->block && volume->available);
  EXPECT_EQ(volume->attributes_class, "gold");
  ASSERT_TRUE(volume->node_affinity);
  EXPECT_EQ(volume->node_affinity->front().match_expressions.front().key, "k");

  auto claim =
      ParsePersistentVolumeClaim(R"({"metadata":{"name":"c","namespace":"n","uid":"u"}})").value();
  ClaimReference reference = *volume->claim;
  EXPECT_TRUE(reference.Names(claim));
  reference.uid = "u";
  EXPECT_TRUE(reference.Names(claim));
  reference.uid = "another";
  EXPECT_FALSE(reference.Names(claim));
  reference = {"m", "c", ""};
  EXPECT_FALSE(reference.Names(claim));

  const auto old = ParsePersistentVolume(R"({"metadata":{"annotations":{
      "volume.beta.kubernetes.io/storage-class":"old"}},"spec":{"storageClassName":"s",
      "claimRef":null,"nodeAffinity":{"required":null}},"status":{"phase":"Released"}})");
  EXPECT_EQ(old->storage_class, "old");
  EXPECT_FALSE(old->available || old->claim || old->node_affinity);
}

TEST(StorageTest, ReadsWhereVolumesCanBeMade) {
  const auto made = ParseStorageClass(R"({"provisioner":"p","allowedTopologies":[
      {"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]},{}]})");
  ASSERT_EQ(made->allowed_topologies.size(), 2u);
  EXPECT_TRUE(made->allowed_topologies[0].front().Matches({{"zone", "b"}}));
  EXPECT_FALSE(made->allowed_topologies[0].front().Matches({{"zone", "c"}}));
  EXPECT_TRUE(made->allowed_topologies[1].empty());

  const auto room = ParseCsiStorageCapacity(R"({"metadata":{"name":"x","namespace":"n"},
      "storageClassName":"s","nodeTopology":{"matchLabels":{"zone":"a"}},"capacity":"10Gi"})");
  ASSERT_TRUE(room);
  EXPECT_EQ(room->storage_class, "s");
  EXPECT_TRUE(room->node_topology->Matches({{"zone", "a"}}));
  EXPECT_EQ(room->VolumeLimit(), Quantity::FromUnits(std::int64_t{10} << 30));
  const auto limited = ParseCsiStorageCapacity(R"({"capacity":"10","maximumVolumeSize":"5"})");
  EXPECT_EQ(limited->VolumeLimit(), Quantity::FromUnits(5));
  EXPECT_FALSE(ParseCsiStorageCapacity(R"({"nodeTopology":null,"capacity":null})")->VolumeLimit());
  EXPECT_TRUE(ParseCsiDriver(R"({"spec":{"storageCapacity":true}})")->storage_capacity);
}

TEST(StorageTest, ReadsClasses) {
  const auto mode = [](const std::string& member) {
    return ParseStorageClass(R"({"provisioner":"p")" + member + "}").value();
  };
  EXPECT_EQ(mode("").provisioner, "p");
  EXPECT_FALSE(mode("").wait_for_first_consumer);
  EXPECT_FALSE(mode(R"(,"volumeBindingMode":"Immediate")").wait_for_first_consumer);
  EXPECT_TRUE(mode(R"(,"volumeBindingMode":"WaitForFirstConsumer")").wait_for_first_consumer);
}

TEST(StorageTest, ReadsWhatNodesCanAttach) {
  const auto node = ParseCsiNode(R"({"metadata":{"name":"n"},"spec":{"drivers":[
      {"name":"a","nodeID":"x","allocatable":{"count":0}},{"name":"b","allocatable":{}},
      {"name":"c","topologyKeys":null}]}})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->FindDriver("a")->allocatable, 0);
  EXPECT_EQ(node->FindDriver("b")->allocatable, std::nullopt);
  EXPECT_EQ(node->FindDriver("c")->allocatable, std::nullopt);
  EXPECT_EQ(node->FindDriver("d"), nullptr);
  EXPECT_TRUE(ParseCsiNode(R"({"spec":{"drivers":null}})")->drivers.empty());
}

TEST(StorageTest, ReadsDriversAndAttachments) {
  EXPECT_TRUE(ParseCsiDriver(R"({"spec":{"preventPodSchedulingIfMissing":true}})")
                  ->prevent_scheduling_if_missing);
  EXPECT_FALSE(ParseCsiDriver(R"({"spec":{"preventPodSchedulingIfMissing":null}})")
                   ->prevent_scheduling_if_missing);
  const auto attachment = ParseVolumeAttachment(
      R"({"metadata":{"name":"x"},"spec":{"attacher":"d","nodeName":"n",
          "source":{"persistentVolumeName":"pv"}},"status":{"attached":true}})");
  ASSERT_TRUE(attachment);
  EXPECT_EQ(attachment->attacher, "d");
  EXPECT_EQ(attachment->node_name, "n");
  EXPECT_EQ(attachment->volume_name, "pv");
  EXPECT_EQ(ParseVolumeAttachment(R"({"spec":{"source":{"inlineVolumeSpec":{}}}})")->volume_name,
            "");
}

TEST(StorageTest, NamesTheFieldThatCannotBeRead) {
  const auto message = [](const auto& result) { return std::string(result.error().message()); };
  EXPECT_THAT(message(ParsePersistentVolumeClaim(R"({"spec":{"volumeName":1}})")),
              HasSubstr("PersistentVolumeClaim spec.volumeName: expected a string"));
  EXPECT_THAT(message(ParseCsiNode(R"({"spec":{"drivers":[{"allocatable":{"count":"3"}}]}})")),
              HasSubstr("CSINode spec.drivers[0].allocatable.count"));
  EXPECT_THAT(message(ParsePersistentVolume(R"({"spec":{"rbd":{"monitors":"a"}}})")),
              HasSubstr("PersistentVolume spec.rbd.monitors"));
}

}  // namespace
}  // namespace leadline

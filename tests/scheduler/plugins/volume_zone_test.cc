#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

using Code = Status::Code;

constexpr const char* kUnavailable = "node(s) had no available volume zone";

class VolumeZoneTest : public StorageFixture {
 protected:
  VolumeZoneTest() {
    AddClaim("bound", R"("volumeName":"pv")");
    plugin_ = Make<PreFilterPlugin>("VolumeZone");
  }

  Status PreFilterOf(const std::vector<std::string>& sources) {
    return plugin_->PreFilter(state_, PodWith(sources), &result_);
  }
  // Of a volume with `labels` on a node with `node_labels`.
  Status Verdict(const std::string& labels, const std::string& node_labels) {
    AddVolume("pv", "", labels);
    const PodInfo pod = PodWith({Uses("bound")});
    const Status before = plugin_->PreFilter(state_, pod, &result_);
    if (!before.ok()) return before;
    return dynamic_cast<FilterPlugin&>(*plugin_).Filter(
        state_, pod, *MakeNode(R"({"metadata":{"name":"n","labels":{)" + node_labels + "}}}"));
  }
  void ExpectHopeless(const Status& status, const std::string& message) {
    EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable) << message;
    EXPECT_EQ(status.Message(), message);
  }

  std::shared_ptr<PreFilterPlugin> plugin_;
};

TEST_F(VolumeZoneTest, PodsWithoutBoundZonesAreSkipped) {
  EXPECT_TRUE(PreFilterOf({}).skip());
  EXPECT_TRUE(PreFilterOf({R"("emptyDir":{})"}).skip());
  EXPECT_TRUE(PreFilterOf({R"("ephemeral":{})"}).skip());
  AddVolume("pv", "");
  EXPECT_TRUE(PreFilterOf({Uses("bound")}).skip());
  AddVolume("pv", "", R"("example.com/zone":"a")");
  EXPECT_TRUE(PreFilterOf({Uses("bound")}).skip());
  AddClass("wait", R"("volumeBindingMode":"WaitForFirstConsumer")");
  AddClaim("unbound", R"("storageClassName":"wait")");
  EXPECT_TRUE(PreFilterOf({Uses("unbound")}).skip());
}

TEST_F(VolumeZoneTest, ClaimsThatCannotBeFollowedAreHopeless) {
  ExpectHopeless(PreFilterOf({Uses("")}), "PersistentVolumeClaim had no name");
  ExpectHopeless(PreFilterOf({Uses("none")}), "persistentvolumeclaim \"none\" not found");
  ExpectHopeless(PreFilterOf({Uses("bound")}), "persistentvolume \"pv\" not found");
  AddClaim("plain", "");
  ExpectHopeless(PreFilterOf({Uses("plain")}),
                 "PersistentVolumeClaim had no pv name and storageClass name");
  AddClaim("classless", R"("storageClassName":"none")");
  ExpectHopeless(PreFilterOf({Uses("classless")}),
                 "storageclass.storage.k8s.io \"none\" not found");
  AddClass("now", R"("volumeBindingMode":"Immediate")");
  AddClaim("immediate", R"("storageClassName":"now")");
  ExpectHopeless(PreFilterOf({Uses("immediate")}), "PersistentVolume had no name");
  // In the order of the volumes.
  ExpectHopeless(PreFilterOf({R"("emptyDir":{})", Uses("immediate"), Uses("none")}),
                 "PersistentVolume had no name");
}

TEST_F(VolumeZoneTest, TheOlderNameOfTheClassCounts) {
  AddClass("wait", R"("volumeBindingMode":"WaitForFirstConsumer")");
  AddClaim("old", "", R"(,"annotations":{"volume.beta.kubernetes.io/storage-class":"wait"})");
  EXPECT_TRUE(PreFilterOf({Uses("old")}).skip());
}

TEST_F(VolumeZoneTest, EveryLabelOfTheVolumeMustBeOnTheNode) {
  const std::string zone = R"("topology.kubernetes.io/zone":)";
  const std::string region = R"("topology.kubernetes.io/region":)";
  const std::string beta = R"("failure-domain.beta.kubernetes.io/zone":)";
  const std::string beta_region = R"("failure-domain.beta.kubernetes.io/region":)";
  struct {
    std::string volume, node;
    bool fits;
  } const cases[] = {
      {zone + "\"a\"", zone + "\"a\"", true},
      {zone + "\"a\"", zone + "\"b\"", false},
      {zone + "\"a\"", "", true},  // a node without any of the labels
      {zone + "\"a\"", "\"other\":\"a\"", true},
      {zone + "\"a\"", region + "\"a\"", false},
      {region + "\"r\"", region + "\"r\"," + zone + "\"a\"", true},
      {zone + "\"a\"," + region + "\"r\"", zone + "\"a\"," + region + "\"s\"", false},
      {zone + "\"a\"," + region + "\"r\"", zone + "\"a\"", false},
      // Several zones.
      {zone + "\"a__b\"", zone + "\"b\"", true},
      {zone + "\"a__b\"", zone + "\"c\"", false},
      {zone + "\"a__b\"", zone + "\"a__b\"", false},
      {zone + "\" a __b\"", zone + "\"a\"", true},
      {zone + "\"a_b\"", zone + "\"a\"", false},
      // The label of before stands back behind the new one of the node, not the other way.
      {beta + "\"a\"", beta + "\"a\"", true},
      {beta + "\"a\"", zone + "\"a\"", true},
      {beta + "\"a\"", zone + "\"b\"", false},
      {beta + "\"a\"", beta + "\"b\"," + zone + "\"a\"", false},
      {zone + "\"a\"", beta + "\"a\"", false},
      {beta_region + "\"r\"", region + "\"r\"", true},
      {beta_region + "\"r\"", zone + "\"r\"", false},
      {region + "\"r\"", beta_region + "\"r\"", false},
  };
  for (const auto& one : cases) {
    const Status status = Verdict(one.volume, one.node);
    EXPECT_EQ(status.ok(), one.fits) << one.volume << " on " << one.node;
    if (!one.fits) ExpectHopeless(status, kUnavailable);
  }
}

TEST_F(VolumeZoneTest, ALabelThatCannotBeReadIsIgnored) {
  const std::string zone = R"("topology.kubernetes.io/zone":)";
  for (const std::string value : {"", "  ", "a__", "__a", "a____b"}) {
    EXPECT_TRUE(Verdict(zone + "\"" + value + "\"", zone + "\"z\"").skip()) << value;
  }
}

TEST_F(VolumeZoneTest, AllClaimsCount) {
  AddVolume("pv", "", R"("topology.kubernetes.io/zone":"a")");
  AddClaim("second", R"("volumeName":"pv2")");
  AddVolume("pv2", "", R"("topology.kubernetes.io/zone":"b")");
  const PodInfo pod = PodWith({Uses("bound"), Uses("second")});
  ASSERT_TRUE(plugin_->PreFilter(state_, pod, &result_).ok());
  auto& filter = dynamic_cast<FilterPlugin&>(*plugin_);
  for (const std::string value : {"a", "b"}) {
    ExpectHopeless(filter.Filter(state_, pod,
                                 *MakeNode(R"({"metadata":{"labels":{"topology.kubernetes.io/zone":
                                     ")" + value +
                                           "\"}}}")),
                   kUnavailable);
  }
}

TEST_F(VolumeZoneTest, WakesForWhatCouldHelp) {
  const auto extensions = Make<EnqueueExtensions>("VolumeZone");
  const PodInfo info = PodWith({Uses("bound"), R"("ephemeral":{})"});
  const Pod& pod = *info.pod;
  const auto claim = [&](const std::string& json_name, const std::string& space) {
    ClusterChange change{ClusterEvent::kClaimChange};
    PersistentVolumeClaim made = *Claim(json_name, "");
    made.metadata.namespace_name = space;
    change.claim = std::make_shared<const PersistentVolumeClaim>(std::move(made));
    return extensions->Helps(pod, change);
  };
  EXPECT_TRUE(claim("bound", "ns"));
  EXPECT_FALSE(claim("bound", "other"));
  EXPECT_FALSE(claim("new-v1", "ns"));  // its ephemeral volume's
  const auto storage_class = [&](const std::string& mode) {
    ClusterChange change{ClusterEvent::kStorageClassChange};
    change.storage_class = Class("c", R"("volumeBindingMode":")" + mode + "\"");
    return extensions->Helps(pod, change);
  };
  EXPECT_TRUE(storage_class("WaitForFirstConsumer"));
  EXPECT_FALSE(storage_class("Immediate"));
  const auto volume = [&](const std::string& old, const std::string& now) {
    ClusterChange change{ClusterEvent::kVolumeChange};
    if (old != "none") change.old_volume = PersistentVolumeOf("pv", "", old);
    change.volume = PersistentVolumeOf("pv", "", now);
    return extensions->Helps(pod, change);
  };
  const std::string zone = R"("topology.kubernetes.io/zone":)";
  EXPECT_TRUE(volume("none", ""));
  EXPECT_FALSE(volume("", "\"x\":\"y\""));
  EXPECT_TRUE(volume(zone + "\"a\"", zone + "\"b\""));
  EXPECT_FALSE(volume(zone + "\"a__b\"", zone + "\"b__a\""));
  EXPECT_TRUE(extensions->Helps(pod, ClusterChange{ClusterEvent::kNodeAdd}));
}

}  // namespace
}  // namespace leadline

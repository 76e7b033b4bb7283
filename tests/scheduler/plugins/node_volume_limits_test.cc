#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

using Code = Status::Code;

constexpr const char* kExceeded = "node(s) exceed max volume count";

class NodeVolumeLimitsTest : public StorageFixture {
 protected:
  NodeVolumeLimitsTest() : plugin_(Make<PreFilterPlugin>("NodeVolumeLimits")) {
    for (const std::string name : {"a", "b", "c"}) AddCsiClaim(name, "driver", "disk-" + name);
  }

  // A claim and its volume.
  void AddCsiClaim(const std::string& name, const std::string& driver, const std::string& handle) {
    AddClaim(name, R"("volumeName":"pv-)" + name + "\"");
    AddVolume("pv-" + name,
              R"("csi":{"driver":")" + driver + R"(","volumeHandle":")" + handle + "\"}");
  }
  // `drivers`: a limit each, -1 for none.
  void SetLimits(const std::vector<std::pair<std::string, int>>& drivers) {
    listers_.csi_nodes.Put(CsiNodeWith(drivers));
  }
  static std::shared_ptr<const CsiNode> CsiNodeWith(
      const std::vector<std::pair<std::string, int>>& drivers) {
    std::string text;
    for (const auto& [name, limit] : drivers) {
      text += (text.empty() ? "" : ",") + std::string(R"({"name":")") + name + "\"";
      if (limit >= 0) text += R"(,"allocatable":{"count":)" + std::to_string(limit) + "}";
      text += "}";
    }
    return std::make_shared<const CsiNode>(
        ParseCsiNode(R"({"metadata":{"name":"n"},"spec":{"drivers":[)" + text + "]}}").value());
  }
  void Attach(const std::string& volume, const std::string& attacher = "driver",
              const std::string& node = "n") {
    listers_.volume_attachments.Put(Attachment(volume, attacher, node));
  }
  static std::shared_ptr<const VolumeAttachment> Attachment(const std::string& volume,
                                                            const std::string& attacher,
                                                            const std::string& node) {
    return std::make_shared<const VolumeAttachment>(
        ParseVolumeAttachment(R"({"metadata":{"name":")" + attacher + volume + node +
                              R"("},"spec":{"attacher":")" + attacher + R"(","nodeName":")" + node +
                              R"(","source":{"persistentVolumeName":")" + volume + "\"}}}")
            .value());
  }
  void AddDriver(const std::string& name, bool prevents) {
    listers_.csi_drivers.Put(Driver(name, prevents));
  }
  static std::shared_ptr<const CsiDriver> Driver(const std::string& name, bool prevents) {
    return std::make_shared<const CsiDriver>(
        ParseCsiDriver(R"({"metadata":{"name":")" + name +
                       R"("},"spec":{"preventPodSchedulingIfMissing":)" +
                       (prevents ? "true" : "false") + "}}")
            .value());
  }

  // Of a Pod with `wanted` on node n, on which one Pod has `there`.
  Status Judge(const std::vector<std::string>& wanted, const std::vector<std::string>& there = {}) {
    const auto node = MakeNode(R"({"metadata":{"name":"n"}})");
    if (!there.empty()) Place(*node, PodJson("there", there));
    return Judge(PodWith(wanted), *node);
  }
  Status Judge(const PodInfo& pod, const NodeInfo& node) {
    const Status before = plugin_->PreFilter(state_, pod, &result_);
    if (!before.ok()) return before;
    return dynamic_cast<FilterPlugin&>(*plugin_).Filter(state_, pod, node);
  }
  void ExpectExceeded(const Status& status) {
    EXPECT_EQ(status.code(), Code::kUnschedulable);
    EXPECT_EQ(status.Message(), kExceeded);
  }
  // How many of `wanted` the driver counts: the least limit that takes them, less `before`.
  int Counted(const std::string& driver, const std::vector<std::string>& wanted) {
    for (int limit = 0; limit < 9; ++limit) {
      SetLimits({{driver, limit}});
      const Status status = Judge(wanted);
      if (status.ok() || status.skip()) return limit;
      ExpectExceeded(status);
    }
    return -1;
  }

  std::shared_ptr<PreFilterPlugin> plugin_;
};

TEST_F(NodeVolumeLimitsTest, PodsWithoutSuchVolumesAreSkipped) {
  SetLimits({{"driver", 0}});
  EXPECT_TRUE(Judge({}).skip());
  EXPECT_TRUE(Judge({R"("emptyDir":{})", R"("nfs":{})", R"("csi":{"driver":"driver"})"}).skip());
  for (const std::string kind : {"gcePersistentDisk", "awsElasticBlockStore", "azureDisk",
                                 "azureFile", "cinder", "portworxVolume", "vsphereVolume"}) {
    EXPECT_TRUE(Judge({"\"" + kind + "\":{}"}).ok()) << kind;
  }
}

TEST_F(NodeVolumeLimitsTest, CountsWhatIsThereAndWhatIsNew) {
  SetLimits({{"driver", 2}});
  EXPECT_TRUE(Judge({Uses("a")}).ok());
  EXPECT_TRUE(Judge({Uses("a"), Uses("b")}).ok());
  ExpectExceeded(Judge({Uses("a"), Uses("b"), Uses("c")}));
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("b")}).ok());
  ExpectExceeded(Judge({Uses("a")}, {Uses("b"), Uses("c")}));
  // Named twice, and there already.
  EXPECT_TRUE(Judge({Uses("a"), Uses("a"), Uses("b")}).ok());
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("a"), Uses("b")}).ok());
  ExpectExceeded(Judge({Uses("a"), Uses("c")}, {Uses("a"), Uses("b")}));
}

TEST_F(NodeVolumeLimitsTest, OnlyNewVolumesMeetTheLimit) {
  SetLimits({{"driver", 0}});
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("a"), Uses("b")}).ok());
  ExpectExceeded(Judge({Uses("a")}));
}

TEST_F(NodeVolumeLimitsTest, WithoutALimitThereIsNone) {
  EXPECT_TRUE(Judge({Uses("a")}).ok());  // no CSINode
  SetLimits({});
  EXPECT_TRUE(Judge({Uses("a")}).ok());
  SetLimits({{"driver", -1}, {"other", 0}});
  EXPECT_TRUE(Judge({Uses("a")}).ok());
}

TEST_F(NodeVolumeLimitsTest, DriversCountForThemselves) {
  AddCsiClaim("x", "other", "disk-x");
  AddCsiClaim("y", "other", "disk-a");  // a handle that the first driver uses too
  SetLimits({{"driver", 1}, {"other", 1}});
  EXPECT_TRUE(Judge({Uses("a"), Uses("x")}).ok());
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("y")}).ok());
  ExpectExceeded(Judge({Uses("x")}, {Uses("y")}));
  ExpectExceeded(Judge({Uses("a"), Uses("x"), Uses("y")}));
}

TEST_F(NodeVolumeLimitsTest, TwoClaimsOfOneDiskAreOne) {
  AddCsiClaim("again", "driver", "disk-a");
  SetLimits({{"driver", 1}});
  EXPECT_TRUE(Judge({Uses("a"), Uses("again")}).ok());
  EXPECT_TRUE(Judge({Uses("again")}, {Uses("a")}).ok());
}

TEST_F(NodeVolumeLimitsTest, AttachmentsThatNoPodExplains) {
  SetLimits({{"driver", 2}});
  Attach("pv-b");
  EXPECT_TRUE(Judge({Uses("a")}).ok());
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("b")}).ok());  // counted once
  ExpectExceeded(Judge({Uses("a")}, {Uses("c")}));
  // Attached but of no Pod: it counts beside itself.
  ExpectExceeded(Judge({Uses("b")}, {Uses("c")}));
  Attach("pv-c");
  ExpectExceeded(Judge({Uses("a")}));
}

TEST_F(NodeVolumeLimitsTest, AttachmentsThatDoNotCount) {
  SetLimits({{"driver", 1}});
  AddVolume("nfs", R"("nfs":{"server":"s"})");
  Attach("missing");
  Attach("nfs");
  Attach("pv-b", "other");
  Attach("pv-c", "driver", "m");
  Attach("", "driver");
  EXPECT_TRUE(Judge({Uses("a")}).ok());
  Attach("pv-b");
  ExpectExceeded(Judge({Uses("a")}));
}

TEST_F(NodeVolumeLimitsTest, UnboundClaimsCountForTheirClass) {
  AddClass("fast", R"("provisioner":"driver","volumeBindingMode":"WaitForFirstConsumer")");
  AddClass("now", R"("provisioner":"driver","volumeBindingMode":"Immediate")");
  AddClaim("waiting", R"("storageClassName":"fast")");
  AddClaim("immediate", R"("storageClassName":"now")");
  AddClaim("old", "", R"(,"annotations":{"volume.beta.kubernetes.io/storage-class":"fast"})");
  AddClaim("lost", R"("storageClassName":"fast","volumeName":"missing")");
  AddClaim("classless", R"("storageClassName":"none")");
  AddClaim("plain", "");
  for (const std::string name : {"waiting", "immediate", "old", "lost"}) {
    EXPECT_EQ(Counted("driver", {Uses(name), Uses(name)}), 1) << name;
  }
  EXPECT_EQ(Counted("driver", {Uses("waiting"), Uses("old"), Uses("a")}), 3);
  EXPECT_EQ(Counted("driver", {Uses("classless"), Uses("plain")}), 0);
  SetLimits({{"driver", 1}});
  EXPECT_TRUE(Judge({Uses("waiting")}, {Uses("waiting")}).ok());
  ExpectExceeded(Judge({Uses("waiting")}, {Uses("immediate")}));
}

TEST_F(NodeVolumeLimitsTest, EphemeralVolumesHaveAClaimOfTheirOwn) {
  const std::string ephemeral = R"("ephemeral":{"volumeClaimTemplate":{"spec":{}}})";
  SetLimits({{"driver", 1}});
  Status status = Judge({ephemeral});
  EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(),
            "looking up PVC ns/new-v0: persistentvolumeclaim \"new-v0\" not found");
  AddClaim("new-v0", R"("volumeName":"pv-a")");
  status = Judge({ephemeral});
  EXPECT_EQ(status.code(), Code::kError);
  EXPECT_EQ(status.Message(), "PVC ns/new-v0 was not created for pod ns/new (pod is not owner)");
  const auto own = [&](const std::string& name, const std::string& uid) {
    AddClaim(name, R"("volumeName":"pv-a")",
             R"(,"ownerReferences":[{"kind":"Pod","controller":true,"uid":")" + uid + "\"}]");
  };
  own("new-v0", "uid-of-another");
  EXPECT_EQ(Judge({ephemeral}).code(), Code::kError);
  own("new-v0", "uid-new");
  EXPECT_TRUE(Judge({ephemeral}).ok());
  ExpectExceeded(Judge({ephemeral}, {Uses("b")}));
  // Of a Pod there; one that is not its own is not counted.
  own("there-v0", "uid-of-another");
  EXPECT_TRUE(Judge({Uses("b")}, {ephemeral}).ok());
  own("there-v0", "uid-there");
  ExpectExceeded(Judge({Uses("b")}, {ephemeral}));
}

TEST_F(NodeVolumeLimitsTest, MissingClaims) {
  SetLimits({{"driver", 1}});
  const Status status = Judge({Uses("a"), Uses("x")});
  EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "looking up PVC ns/x: persistentvolumeclaim \"x\" not found");
  EXPECT_EQ(Judge({Uses("")}).Message(), "PersistentVolumeClaim had no name");
  EXPECT_TRUE(Judge({Uses("a")}, {Uses("x")}).ok());  // of a Pod there: nobody knows
}

TEST_F(NodeVolumeLimitsTest, MigratedDisksCountForTheirDriver) {
  struct {
    std::string source, driver;
  } const cases[] = {
      {R"("gcePersistentDisk":{"pdName":"d"})", "pd.csi.storage.gke.io"},
      {R"("awsElasticBlockStore":{"volumeID":"vol-1"})", "ebs.csi.aws.com"},
      {R"("azureDisk":{"diskName":"d","diskURI":"/d","kind":"Managed"})", "disk.csi.azure.com"},
      {R"("cinder":{"volumeID":"d"})", "cinder.csi.openstack.org"},
      {R"("portworxVolume":{"volumeID":"d"})", "pxd.portworx.com"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Counted(one.driver, {one.source}), 1) << one.source;
    EXPECT_EQ(Counted(one.driver, {one.source, one.source}), 1) << one.source;
    AddClaim("old", R"("volumeName":"old")");
    AddVolume("old", one.source);
    EXPECT_EQ(Counted(one.driver, {Uses("old")}), 1) << one.source;
    // The same disk under a claim, but for the zone that GCE's has in its name.
    EXPECT_EQ(Counted(one.driver, {Uses("old"), one.source}), 1) << one.source;
  }
  EXPECT_EQ(Counted("file.csi.azure.com", {R"("azureFile":{"shareName":"s"})"}), 0);
  EXPECT_EQ(Counted("csi.vsphere.vmware.com", {R"("vsphereVolume":{"volumePath":"p"})"}), 0);
  AddVolume("old", R"("vsphereVolume":{"volumePath":"p"})");
  EXPECT_EQ(Counted("csi.vsphere.vmware.com", {Uses("old")}), 0);
}

TEST_F(NodeVolumeLimitsTest, MigratedProvisioners) {
  const auto counted = [&](const std::string& provisioner, const std::string& driver) {
    AddClass("in-tree", R"("provisioner":")" + provisioner + "\"");
    AddClaim("unbound", R"("storageClassName":"in-tree")");
    return Counted(driver, {Uses("unbound")});
  };
  EXPECT_EQ(counted("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"), 1);
  EXPECT_EQ(counted("kubernetes.io/aws-ebs", "ebs.csi.aws.com"), 1);
  EXPECT_EQ(counted("kubernetes.io/azure-disk", "disk.csi.azure.com"), 1);
  EXPECT_EQ(counted("kubernetes.io/cinder", "cinder.csi.openstack.org"), 1);
  EXPECT_EQ(counted("kubernetes.io/portworx-volume", "pxd.portworx.com"), 1);
  EXPECT_EQ(counted("kubernetes.io/azure-file", "file.csi.azure.com"), 0);
  EXPECT_EQ(counted("kubernetes.io/azure-file", "kubernetes.io/azure-file"), 0);
  EXPECT_EQ(counted("kubernetes.io/no-provisioner", "driver"), 0);
}

TEST_F(NodeVolumeLimitsTest, HandlesOfMigratedDisks) {
  // Whether an inline or labelled disk is the CSI volume of that handle.
  const auto same = [&](const std::string& source, const std::string& labels,
                        const std::string& driver, const std::string& handle) {
    AddCsiClaim("csi", driver, handle);
    AddClaim("old", R"("volumeName":"old")");
    AddVolume("old", source, labels);
    return Counted(driver, {Uses("old"), Uses("csi")}) == 1;
  };
  const std::string zone = R"("topology.kubernetes.io/zone":)";
  const std::string beta = R"("failure-domain.beta.kubernetes.io/zone":)";
  const auto gce = [&](const std::string& labels, const std::string& place) {
    return same(R"("gcePersistentDisk":{"pdName":"d"})", labels, "pd.csi.storage.gke.io",
                "projects/UNSPECIFIED/" + place + "/disks/d");
  };
  EXPECT_TRUE(gce("", "zones/UNSPECIFIED"));
  EXPECT_TRUE(gce(zone + "\"us-east1-a\"", "zones/us-east1-a"));
  EXPECT_FALSE(gce(zone + "\"us-east1-a\"", "zones/UNSPECIFIED"));
  EXPECT_TRUE(gce(zone + "\"a\"," + beta + "\"b\"", "zones/b"));
  EXPECT_TRUE(gce(zone + "\"us-east1-a__us-east1-b\"", "regions/us-east1"));
  // No region can be read: the disk is not counted, so that the other is the only one.
  EXPECT_TRUE(gce(zone + "\"a__b\"", "regions/a"));
  EXPECT_EQ(Counted("pd.csi.storage.gke.io", {Uses("old")}), 0);
  AddVolume("old", R"("gcePersistentDisk":{"pdName":"d"})", zone + "\"us-east1-a__us-west1-b\"");
  EXPECT_EQ(Counted("pd.csi.storage.gke.io", {Uses("old")}), 0);

  const auto ebs = [&](const std::string& id, const std::string& handle) {
    return same(R"("awsElasticBlockStore":{"volumeID":")" + id + "\"}", "", "ebs.csi.aws.com",
                handle);
  };
  EXPECT_TRUE(ebs("vol-1", "vol-1"));
  EXPECT_TRUE(ebs("aws://us-east-1a/vol-1", "vol-1"));
  EXPECT_TRUE(ebs("aws:///vol-1", "vol-1"));
  EXPECT_FALSE(ebs("vol-1", "vol-2"));
  for (const std::string id : {"aws://zone/disk", "aws://vol-1", "aws://zone/a/vol-1"}) {
    AddVolume("old", R"("awsElasticBlockStore":{"volumeID":")" + id + "\"}");
    EXPECT_EQ(Counted("ebs.csi.aws.com", {Uses("old")}), 0) << id;
  }
}

TEST_F(NodeVolumeLimitsTest, InlineDisksThatCannotBeTranslatedAreErrors) {
  const std::string disk = R"("azureDisk":{"diskName":"d","diskURI":"/d","kind":"Dedicated"})";
  EXPECT_TRUE(Judge({disk}).ok());  // no CSINode, no driver
  SetLimits({});
  Status status = Judge({disk});
  EXPECT_EQ(status.code(), Code::kError);
  EXPECT_EQ(status.Message(),
            "converting volume(v0) from inline to csi: kind(Dedicated) is not "
            "supported in csi migration");
  status = Judge({R"("awsElasticBlockStore":{"volumeID":"aws://zone/disk"})"});
  EXPECT_EQ(status.code(), Code::kError);
  EXPECT_EQ(status.Message(),
            "converting volume(v0) from inline to csi: failed to translate Kubernetes ID to EBS "
            "Volume ID Invalid format for AWS volume (aws://zone/disk)");
  SetLimits({{"driver", 1}});
  EXPECT_TRUE(Judge({Uses("a")}, {disk}).ok());  // of a Pod there: not counted
}

TEST_F(NodeVolumeLimitsTest, MigratedDisksCountOnlyWhereThereIsACsiNode) {
  const std::string disk = R"("cinder":{"volumeID":"d"})";
  AddDriver("cinder.csi.openstack.org", true);
  EXPECT_TRUE(Judge({disk}).ok());
  SetLimits({});
  EXPECT_EQ(Judge({disk}).Message(),
            "cinder.csi.openstack.org CSI driver is not installed on the node");
}

TEST_F(NodeVolumeLimitsTest, ADriverThatMustBeThere) {
  const auto missing = [&](const std::vector<std::string>& wanted) {
    const Status status = Judge(wanted);
    if (status.ok()) return false;
    EXPECT_EQ(status.code(), Code::kUnschedulable);
    EXPECT_EQ(status.Message(), "driver CSI driver is not installed on the node");
    return true;
  };
  AddDriver("driver", false);
  EXPECT_FALSE(missing({Uses("a")}));
  AddDriver("driver", true);
  EXPECT_TRUE(missing({Uses("a")}));  // no CSINode
  SetLimits({{"other", 5}});
  EXPECT_TRUE(missing({Uses("a")}));
  EXPECT_TRUE(missing({Uses("a"), Uses("b")}));
  SetLimits({{"driver", -1}});
  EXPECT_FALSE(missing({Uses("a")}));
  AddClaim("plain", "");
  SetLimits({});
  EXPECT_FALSE(missing({Uses("plain")}));
}

TEST_F(NodeVolumeLimitsTest, WakesForWhatCouldHelp) {
  const auto extensions = Make<EnqueueExtensions>("NodeVolumeLimits");
  const PodInfo info = PodWith({Uses("a"), R"("ephemeral":{})"});
  const Pod& waiting = *info.pod;
  using Limits = std::vector<std::pair<std::string, int>>;
  const auto raised = [&](const Limits& old, const Limits& now) {
    ClusterChange change{ClusterEvent::kCsiNodeChange};
    change.old_csi_node = CsiNodeWith(old);
    change.csi_node = CsiNodeWith(now);
    return extensions->Helps(waiting, change);
  };
  EXPECT_TRUE(raised({{"driver", 1}}, {{"driver", 2}}));
  EXPECT_FALSE(raised({{"driver", 2}}, {{"driver", 2}}));
  EXPECT_FALSE(raised({{"driver", 2}}, {{"driver", 1}}));
  EXPECT_FALSE(raised({{"driver", 2}}, {}));
  EXPECT_TRUE(raised({{"driver", 2}}, {{"driver", -1}}));
  EXPECT_TRUE(raised({}, {{"driver", -1}}));
  EXPECT_TRUE(raised({{"x", 2}, {"driver", 2}}, {{"x", 1}, {"driver", 3}}));
  ClusterChange added{ClusterEvent::kCsiNodeChange};
  added.csi_node = CsiNodeWith({});
  EXPECT_TRUE(extensions->Helps(waiting, added));

  const auto deleted = [&](const std::string& source) {
    ClusterChange change{ClusterEvent::kAssignedPodDelete};
    change.pod = change.old_pod = MakePod(PodJson("gone", {source}, "other")).pod;
    return extensions->Helps(waiting, change);
  };
  EXPECT_TRUE(deleted(Uses("x")));
  EXPECT_TRUE(deleted(R"("ephemeral":{})"));
  EXPECT_TRUE(deleted(R"("cinder":{"volumeID":"d"})"));
  EXPECT_FALSE(deleted(R"("emptyDir":{})"));

  const auto claim = [&](const std::string& name, bool update) {
    ClusterChange change{ClusterEvent::kClaimChange};
    change.claim = Claim(name, "");
    if (update) change.old_claim = change.claim;
    return extensions->Helps(waiting, change);
  };
  EXPECT_TRUE(claim("a", false));
  EXPECT_FALSE(claim("a", true));
  EXPECT_TRUE(claim("new-v1", false));
  EXPECT_FALSE(claim("b", false));

  const auto detached = [&](const std::vector<std::string>& sources, const std::string& attacher) {
    ClusterChange change{ClusterEvent::kVolumeAttachmentDelete};
    change.volume_attachment = Attachment("pv", attacher, "n");
    return extensions->Helps(*PodWith(sources).pod, change);
  };
  EXPECT_TRUE(detached({Uses("a")}, "any"));
  EXPECT_TRUE(detached({R"("ephemeral":{})"}, "any"));
  EXPECT_TRUE(detached({R"("cinder":{})"}, "cinder.csi.openstack.org"));
  EXPECT_FALSE(detached({R"("cinder":{})"}, "any"));
  EXPECT_FALSE(detached({R"("emptyDir":{})"}, "any"));

  ClusterChange driver{ClusterEvent::kCsiDriverChange};
  driver.csi_driver = Driver("driver", false);
  EXPECT_TRUE(extensions->Helps(waiting, driver));
  driver.csi_driver = Driver("driver", true);
  EXPECT_FALSE(extensions->Helps(waiting, driver));
}

}  // namespace
}  // namespace leadline

#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

using Code = Status::Code;

constexpr const char* kNoDisk = "node(s) had no available disk";
constexpr const char* kInUse =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
    "in-use by another pod";

std::string Disk(const std::string& kind, const std::string& members, bool read_only = false) {
  return "\"" + kind + "\":{" + members + (read_only ? R"(,"readOnly":true)" : "") + "}";
}

class VolumeRestrictionsTest : public StorageFixture {
 protected:
  VolumeRestrictionsTest() : plugin_(Make<PreFilterPlugin>("VolumeRestrictions")) {
    AddClaim("shared", R"("accessModes":["ReadWriteOnce"])");
    AddClaim("sole", R"("accessModes":["ReadWriteOncePod"])");
  }

  // One node, of a name each, with a Pod of these volumes, in namespace `space`.
  static std::shared_ptr<NodeInfo> NodeWith(const std::vector<std::string>& sources,
                                            const std::string& space = "ns",
                                            const std::string& name = "n") {
    const auto node = MakeNode(R"({"metadata":{"name":")" + name + "\"}}");
    Place(*node, PodJson("there", sources, space));
    return node;
  }
  CycleState StateOf(const std::vector<std::shared_ptr<NodeInfo>>& nodes) {
    cluster_ = Snapshot(1, NodeInfos(nodes.begin(), nodes.end()));
    return CycleState("decision", cluster_, 0);
  }
  Status Judge(CycleState& state, const PodInfo& pod, const NodeInfo& node) {
    const Status before = plugin_->PreFilter(state, pod, &result_);
    return before.ok() ? Filter(state, pod, node) : before;
  }
  Status Filter(CycleState& state, const PodInfo& pod, const NodeInfo& node) {
    return dynamic_cast<FilterPlugin&>(*plugin_).Filter(state, pod, node);
  }
  // Whether `wanted` may go where `there` is; nothing but the reason may keep it away.
  bool Together(const std::string& wanted, const std::string& there,
                const std::string& space = "ns") {
    const auto node = NodeWith({R"("emptyDir":{})", there}, space);
    CycleState state = StateOf({node});
    const Status status = Judge(state, PodWith({wanted}), *node);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), Code::kUnschedulable);
      EXPECT_EQ(status.Message(), kNoDisk);
    }
    return status.ok();
  }

  std::shared_ptr<PreFilterPlugin> plugin_;
  Snapshot cluster_;
};

TEST_F(VolumeRestrictionsTest, PodsWithNothingToKeepApartAreSkipped) {
  CycleState state = StateOf({NodeWith({Disk("gcePersistentDisk", R"("pdName":"d")")})});
  const auto skipped = [&](const std::string& source) {
    return plugin_->PreFilter(state, PodWith({source}), &result_).skip();
  };
  EXPECT_TRUE(plugin_->PreFilter(state, PodWith({}), &result_).skip());
  EXPECT_TRUE(skipped(R"("emptyDir":{})"));
  EXPECT_TRUE(skipped(R"("ephemeral":{})"));
  EXPECT_TRUE(skipped(Disk("cinder", R"("volumeID":"d")")));
  EXPECT_TRUE(skipped(Uses("shared")));
  EXPECT_TRUE(skipped(Uses("sole")));  // nobody uses it
  EXPECT_FALSE(skipped(Disk("iscsi", R"("iqn":"d")")));
}

TEST_F(VolumeRestrictionsTest, AMissingClaimIsHopeless) {
  const Status status = plugin_->PreFilter(state_, PodWith({Uses("sole"), Uses("x")}), &result_);
  EXPECT_EQ(status.code(), Code::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.Message(), "persistentvolumeclaim \"x\" not found");
}

TEST_F(VolumeRestrictionsTest, DisksOnOneNode) {
  struct Row {
    std::string kind, wanted, there;
    bool both_writing, both_reading;
  } const rows[] = {
      {"gcePersistentDisk", R"("pdName":"d")", R"("pdName":"d")", false, true},
      {"gcePersistentDisk", R"("pdName":"d","partition":1)", R"("pdName":"d","partition":2)", false,
       true},
      {"gcePersistentDisk", R"("pdName":"d")", R"("pdName":"e")", true, true},
      {"awsElasticBlockStore", R"("volumeID":"d")", R"("volumeID":"d")", false, false},
      {"awsElasticBlockStore", R"("volumeID":"d")", R"("volumeID":"aws://z/d")", true, true},
      {"iscsi", R"("iqn":"q","targetPortal":"1.1.1.1","lun":0)",
       R"("iqn":"q","targetPortal":"2.2.2.2","lun":1)", false, true},
      {"iscsi", R"("iqn":"q")", R"("iqn":"r")", true, true},
      {"rbd", R"("monitors":["a","b"],"pool":"p","image":"i")",
       R"("monitors":["c","b"],"pool":"p","image":"i")", false, true},
      {"rbd", R"("monitors":["a"],"pool":"p","image":"i")",
       R"("monitors":["b"],"pool":"p","image":"i")", true, true},
      {"rbd", R"("monitors":["a"],"pool":"p","image":"i")",
       R"("monitors":["a"],"pool":"q","image":"i")", true, true},
      {"rbd", R"("monitors":["a"],"pool":"p","image":"i")",
       R"("monitors":["a"],"pool":"p","image":"j")", true, true},
      {"cinder", R"("volumeID":"d")", R"("volumeID":"d")", true, true},
  };
  for (const Row& row : rows) {
    // One that is skipped fits as well.
    const auto fits = [&](bool reads, bool other_reads) {
      const auto node = NodeWith({Disk(row.kind, row.there, other_reads)});
      CycleState state = StateOf({node});
      const Status status = Judge(state, PodWith({Disk(row.kind, row.wanted, reads)}), *node);
      return status.ok() || status.skip();
    };
    EXPECT_EQ(fits(false, false), row.both_writing) << row.kind << row.wanted << row.there;
    EXPECT_EQ(fits(true, false), row.both_writing) << row.kind << row.wanted << row.there;
    EXPECT_EQ(fits(false, true), row.both_writing) << row.kind << row.wanted << row.there;
    EXPECT_EQ(fits(true, true), row.both_reading) << row.kind << row.wanted << row.there;
  }
}

TEST_F(VolumeRestrictionsTest, DisksOfAnyNamespaceAndOfOneKind) {
  const std::string disk = Disk("gcePersistentDisk", R"("pdName":"d")");
  EXPECT_FALSE(Together(disk, disk, "other"));
  EXPECT_TRUE(Together(disk, Disk("awsElasticBlockStore", R"("volumeID":"d")")));
  // Twice in one Pod, and on another node.
  const auto empty = MakeNode(R"({"metadata":{"name":"m"}})");
  const auto full = NodeWith({disk});
  CycleState state = StateOf({empty, full});
  EXPECT_TRUE(Judge(state, PodWith({disk, disk}), *empty).ok());
  EXPECT_FALSE(Judge(state, PodWith({disk, disk}), *full).ok());
}

TEST_F(VolumeRestrictionsTest, ASoleClaimInUseBarsEveryNode) {
  const auto user = NodeWith({Uses("sole")}, "ns", "user");
  const auto empty = MakeNode(R"({"metadata":{"name":"empty"}})");
  CycleState state = StateOf({empty, user});
  const PodInfo pod = PodWith({Uses("shared"), Uses("sole")});
  for (const auto& node : {user, empty}) {
    const Status status = Judge(state, pod, *node);
    EXPECT_EQ(status.code(), Code::kUnschedulable);
    EXPECT_EQ(status.Message(), kInUse);
  }
  // The disk comes first.
  const std::string disk = Disk("iscsi", R"("iqn":"q")");
  Place(*empty, PodJson("more", {disk}));
  CycleState both = StateOf({empty, user});
  EXPECT_EQ(Judge(both, PodWith({Uses("sole"), disk}), *empty).Message(), kNoDisk);
  EXPECT_EQ(Judge(both, PodWith({Uses("sole"), disk}), *user).Message(), kInUse);
}

TEST_F(VolumeRestrictionsTest, NearMissesOfASoleClaim) {
  const auto skipped = [&](const std::shared_ptr<NodeInfo>& node) {
    CycleState state = StateOf({node});
    return plugin_->PreFilter(state, PodWith({Uses("sole")}), &result_).skip();
  };
  EXPECT_FALSE(skipped(NodeWith({Uses("sole")})));
  EXPECT_TRUE(skipped(NodeWith({Uses("sole")}, "other")));
  EXPECT_TRUE(skipped(NodeWith({Uses("shared")})));
  EXPECT_TRUE(skipped(NodeWith({R"("ephemeral":{})"})));
  // The mode counts among others.
  AddClaim("mixed", R"("accessModes":["ReadWriteOnce","ReadWriteOncePod"])");
  CycleState state = StateOf({NodeWith({Uses("mixed")})});
  EXPECT_FALSE(plugin_->PreFilter(state, PodWith({Uses("mixed")}), &result_).skip());
}

TEST_F(VolumeRestrictionsTest, FollowsPodsThatAreTakenAwayAndPutBack) {
  const auto node = NodeWith({Uses("sole")});
  const auto other = MakeNode(R"({"metadata":{"name":"other"}})");
  CycleState state = StateOf({node, other});
  const PodInfo pod = PodWith({Uses("sole")});
  ASSERT_TRUE(plugin_->PreFilter(state, pod, &result_).ok());
  const PodInfo user = *node->pods()[0];
  const PodInfo stranger = MakePod(PodJson("stranger", {Uses("sole")}, "elsewhere"));
  EXPECT_TRUE(plugin_->RemovePod(state, pod, stranger, *node).ok());
  EXPECT_EQ(Filter(state, pod, *other).Message(), kInUse);
  EXPECT_TRUE(plugin_->RemovePod(state, pod, user, *node).ok());
  EXPECT_TRUE(Filter(state, pod, *other).ok());
  EXPECT_TRUE(plugin_->AddPod(state, pod, user, *node).ok());
  EXPECT_EQ(Filter(state, pod, *other).Message(), kInUse);
}

TEST_F(VolumeRestrictionsTest, WakesForWhatCouldHelp) {
  const auto extensions = Make<EnqueueExtensions>("VolumeRestrictions");
  const std::string disk = Disk("gcePersistentDisk", R"("pdName":"d")");
  const PodInfo waiting = PodWith({disk, Uses("sole")});
  const auto deleted = [&](const std::vector<std::string>& sources, const std::string& space) {
    ClusterChange change{ClusterEvent::kAssignedPodDelete};
    change.pod = change.old_pod = MakePod(PodJson("gone", sources, space)).pod;
    return extensions->Helps(*waiting.pod, change);
  };
  EXPECT_TRUE(deleted({disk}, "ns"));
  EXPECT_TRUE(deleted({disk}, "other"));
  EXPECT_FALSE(deleted({Disk("gcePersistentDisk", R"("pdName":"e")")}, "ns"));
  EXPECT_TRUE(deleted({Uses("sole")}, "ns"));
  EXPECT_FALSE(deleted({Uses("sole")}, "other"));
  EXPECT_FALSE(deleted({Uses("shared")}, "ns"));
  EXPECT_FALSE(deleted({}, "ns"));
  const auto claim = [&](const std::string& name, bool update) {
    ClusterChange change{ClusterEvent::kClaimChange};
    change.claim = Claim(name, "");
    if (update) change.old_claim = change.claim;
    return extensions->Helps(*waiting.pod, change);
  };
  EXPECT_TRUE(claim("sole", false));
  EXPECT_FALSE(claim("sole", true));
  EXPECT_FALSE(claim("shared", false));
  EXPECT_TRUE(extensions->Helps(*waiting.pod, ClusterChange{ClusterEvent::kNodeAdd}));
}

}  // namespace
}  // namespace leadline

#include <gtest/gtest.h>

#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

class VolumeBindingHintsTest : public StorageFixture {
 protected:
  bool Helps(const ClusterChange& change) {
    return Make<EnqueueExtensions>("VolumeBinding")
        ->Helps(*PodWith({Uses("c"), R"("ephemeral":{})"}).pod, change);
  }
};

TEST_F(VolumeBindingHintsTest, ClaimsOfThePod) {
  const auto helps = [&](const std::string& name) {
    ClusterChange change{ClusterEvent::kClaimChange};
    change.claim = Claim(name, "");
    const bool added = Helps(change);
    change.old_claim = change.claim;
    EXPECT_EQ(Helps(change), added);
    return added;
  };
  EXPECT_TRUE(helps("c"));
  EXPECT_TRUE(helps("new-v1"));
  EXPECT_FALSE(helps("new-v0"));
  EXPECT_FALSE(helps("d"));
}

TEST_F(VolumeBindingHintsTest, ClassesThatAllowOtherPlaces) {
  ClusterChange change{ClusterEvent::kStorageClassChange};
  change.storage_class = Class("s", R"("provisioner":"p")");
  EXPECT_TRUE(Helps(change));
  change.old_storage_class = change.storage_class;
  EXPECT_FALSE(Helps(change));
  change.storage_class = Class("s", R"("allowedTopologies":[{}])");
  EXPECT_TRUE(Helps(change));
}

TEST_F(VolumeBindingHintsTest, NodesThatMigrateMore) {
  const auto node = [](const std::string& plugins) {
    return std::make_shared<const CsiNode>(ParseCsiNode(R"({"metadata":{"name":"n","annotations":{
            "storage.alpha.kubernetes.io/migrated-plugins":")" +
                                                        plugins +
                                                        R"("}},"spec":{"drivers":[{"name":"d"}]}})")
                                               .value());
  };
  ClusterChange change{ClusterEvent::kCsiNodeChange};
  change.csi_node = node("a");
  EXPECT_TRUE(Helps(change));
  change.old_csi_node = node("a");
  EXPECT_FALSE(Helps(change));
  change.csi_node = node("a,b");
  EXPECT_TRUE(Helps(change));
}

TEST_F(VolumeBindingHintsTest, RoomThatGrew) {
  ClusterChange change{ClusterEvent::kStorageCapacityChange};
  change.storage_capacity = Capacity("r", R"("capacity":"2Gi")");
  EXPECT_TRUE(Helps(change));
  change.old_storage_capacity = change.storage_capacity;
  EXPECT_FALSE(Helps(change));
  change.old_storage_capacity = Capacity("r", R"("capacity":"1Gi")");
  EXPECT_TRUE(Helps(change));
  change.old_storage_capacity = Capacity("r", R"("nodeTopology":{})");
  EXPECT_TRUE(Helps(change));
  change.storage_capacity = Capacity("r", R"("capacity":"9Gi","maximumVolumeSize":"1Gi")");
  change.old_storage_capacity = Capacity("r", R"("capacity":"2Gi")");
  EXPECT_FALSE(Helps(change));
}

TEST_F(VolumeBindingHintsTest, DriversThatNoLongerCountRoom) {
  const auto driver = [](const std::string& counts) {
    return std::make_shared<const CsiDriver>(
        ParseCsiDriver(R"({"metadata":{"name":"d"},"spec":{"storageCapacity":)" + counts + "}}")
            .value());
  };
  ClusterChange change{ClusterEvent::kCsiDriverChange};
  change.csi_driver = driver("false");
  EXPECT_FALSE(Helps(change));
  change.old_csi_driver = driver("false");
  EXPECT_FALSE(Helps(change));
  change.old_csi_driver = driver("true");
  EXPECT_TRUE(Helps(change));
}

TEST_F(VolumeBindingHintsTest, AnyVolumeAndAnyNode) {
  ClusterChange change{ClusterEvent::kVolumeChange};
  change.volume = PersistentVolumeOf("pv", "");
  EXPECT_TRUE(Helps(change));
  change.old_volume = change.volume;
  EXPECT_TRUE(Helps(change));
  ClusterChange labels{ClusterEvent::kNodeLabelUpdate};
  labels.old_node = labels.node = MakeNode(R"({"metadata":{"name":"n"}})")->shared_node();
  EXPECT_TRUE(Helps(labels));
}

}  // namespace
}  // namespace leadline

// From Reserve to the end of PreBind, with the API server's part played by the test.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "leadline/plugins/volume_binder.h"
#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Holds what is asked for until the test answers.
class FakeWriter : public VolumeWriter {
 public:
  void KeepVolume(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
                  Done done) override {
    const bool marked = volume.metadata.annotations.count(kBoundByControllerAnnotation) != 0;
    asked.push_back(volume.metadata.name + " for " + claim.metadata.Key() +
                    (marked ? ", chosen" : ""));
    waiting.push_back(std::move(done));
  }
  void SelectNode(const PersistentVolumeClaim& claim, const std::string& node, Done done) override {
    asked.push_back(claim.metadata.Key() + " on " + node);
    waiting.push_back(std::move(done));
  }
  void Answer(Result<std::string> result) {
    const Done done = std::move(waiting.front());
    waiting.erase(waiting.begin());
    done(std::move(result));
  }

  std::vector<std::string> asked;
  std::vector<Done> waiting;
};

class VolumeBinderTest : public StorageFixture {
 protected:
  VolumeBinderTest() {
    VolumeBinderOptions options;
    options.writer = &writer_;
    options.node = [this](const std::string&) { return node_; };
    options.exists = [this](const Pod&) { return exists_; };
    options.clock = &clock_;
    Use(std::move(options));
    SetNode("a");
    AddClass("wait", R"("provisioner":"kubernetes.io/no-provisioner",
                        "volumeBindingMode":"WaitForFirstConsumer")");
    AddClass("made", R"("provisioner":"maker","volumeBindingMode":"WaitForFirstConsumer")");
  }

  void Use(VolumeBinderOptions options) {
    binder_ = std::make_shared<VolumeBinder>(listers_, std::move(options));
    plugin_ =
        BuiltInPlugins(listers_, binder_)["VolumeBinding"](YamlNode::Absent(), nullptr).value();
  }
  template <typename T>
  T& As() {
    return dynamic_cast<T&>(*plugin_);
  }

  void SetNode(const std::string& zone) {
    const auto info = MakeNode(R"({"metadata":{"name":"n1","labels":{"zone":")" + zone + "\"}}}");
    node_ = info->shared_node();
    snapshot_ = Snapshot(1, {info});
  }
  void SetClaim(const std::string& name, const std::string& storage_class, int version,
                const std::string& annotations = "", const std::string& volume = "") {
    AddClaim(name,
             R"("storageClassName":")" + storage_class + R"(","volumeName":")" + volume +
                 R"(","resources":{"requests":{"storage":"1Gi"}})",
             R"(,"uid":"uid-)" + name + R"(","resourceVersion":")" + std::to_string(version) +
                 R"(","annotations":{)" + annotations + "}");
  }
  void SetVolume(const std::string& name, int version, const std::string& claim = "",
                 const std::string& uid = "", const std::string& zone = "a") {
    const std::string reference = claim.empty() ? ""
                                                : R"(,"claimRef":{"namespace":"ns","name":")" +
                                                      claim + R"(","uid":")" + uid + "\"}";
    listers_.volumes.Put(std::make_shared<const PersistentVolume>(
        ParsePersistentVolume(R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" +
                              std::to_string(version) +
                              R"("},"spec":{"storageClassName":"wait","capacity":{"storage":"1Gi"},
              "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
                {"key":"zone","operator":"In","values":[")" +
                              zone + "\"]}]}]}}" + reference +
                              R"(},"status":{"phase":"Available"}})")
            .value()));
  }
  void TellClaim(const std::string& name) {
    ClusterChange change{ClusterEvent::kClaimChange};
    change.claim = listers_.claims.Get("ns/" + name);
    binder_->OnChange(change);
  }
  void TellVolume(const std::string& name) {
    ClusterChange change{ClusterEvent::kVolumeChange};
    change.volume = listers_.volumes.Get(name);
    binder_->OnChange(change);
  }

  // One cycle of a Pod, up to Reserve.
  struct Attempt {
    PodInfo pod;
    CycleState state;
    std::vector<Status> ended;
  };
  std::shared_ptr<Attempt> Begin(const std::vector<std::string>& claims) {
    std::vector<std::string> sources;
    for (const std::string& claim : claims) sources.push_back(Uses(claim));
    auto attempt =
        std::make_shared<Attempt>(Attempt{PodWith(sources), CycleState("d", snapshot_, 0), {}});
    PreFilterResult result;
    attempt_filter_ = As<PreFilterPlugin>().PreFilter(attempt->state, attempt->pod, &result);
    if (attempt_filter_.ok()) {
      attempt_filter_ =
          As<FilterPlugin>().Filter(attempt->state, attempt->pod, *snapshot_.nodes()[0]);
    }
    return attempt;
  }
  std::shared_ptr<Attempt> Reserve(const std::vector<std::string>& claims) {
    auto attempt = Begin(claims);
    EXPECT_TRUE(attempt_filter_.ok()) << attempt_filter_.Message();
    const Status status = As<ReservePlugin>().Reserve(attempt->state, attempt->pod, "n1");
    EXPECT_TRUE(status.ok()) << status.Message();
    return attempt;
  }
  void PreBind(const std::shared_ptr<Attempt>& attempt) {
    As<PreBindPlugin>().PreBind(attempt->state, attempt->pod, "n1", [attempt](Status status) {
      attempt->ended.push_back(std::move(status));
    });
  }
  static std::string End(const std::shared_ptr<Attempt>& attempt) {
    if (attempt->ended.empty()) return "waits";
    EXPECT_EQ(attempt->ended.size(), 1u);
    return attempt->ended.front().ok() ? "bound" : attempt->ended.front().Message();
  }
  // Both written, the volume as version 20, the claim not bound yet.
  std::shared_ptr<Attempt> WaitForBinding() {
    SetClaim("c", "wait", 1);
    SetVolume("pv", 1);
    auto attempt = Reserve({"c"});
    PreBind(attempt);
    writer_.Answer(std::string("20"));
    SetVolume("pv", 20, "c", "uid-c");
    return attempt;
  }
  std::shared_ptr<Attempt> WaitForProvisioning() {
    SetClaim("c", "made", 1);
    auto attempt = Reserve({"c"});
    PreBind(attempt);
    writer_.Answer(std::string("20"));
    return attempt;
  }

  const std::string selected_ = R"("volume.kubernetes.io/selected-node":"n1")";
  const std::string settled_ = R"("pv.kubernetes.io/bind-completed":"yes")";
  FakeWriter writer_;
  ManualClock clock_;
  std::shared_ptr<const Node> node_;
  bool exists_ = true;
  std::shared_ptr<VolumeBinder> binder_;
  std::shared_ptr<Plugin> plugin_;
  Status attempt_filter_;
};

TEST_F(VolumeBinderTest, KeepsAVolumeAndWaitsUntilTheClaimIsBound) {
  SetClaim("c", "wait", 1);
  SetVolume("pv", 9);
  const auto attempt = Reserve({"c"});
  EXPECT_THAT(writer_.asked, IsEmpty());
  PreBind(attempt);
  EXPECT_THAT(writer_.asked, ElementsAre("pv for ns/c, chosen"));
  writer_.Answer(std::string("10"));
  EXPECT_EQ(End(attempt), "waits");  // the watch has version 9 yet: older, though "9" > "10"
  SetClaim("c", "wait", 30, settled_, "pv");
  TellClaim("c");
  EXPECT_EQ(End(attempt), "waits");
  SetVolume("pv", 31, "c", "uid-c");
  TellVolume("other");
  EXPECT_EQ(End(attempt), "waits");
  TellVolume("pv");
  EXPECT_EQ(End(attempt), "bound");
  binder_->Poll();  // and no second time
  EXPECT_EQ(End(attempt), "bound");
}

TEST_F(VolumeBinderTest, HasAVolumeMadeAndWaits) {
  const auto attempt = WaitForProvisioning();
  EXPECT_THAT(writer_.asked, ElementsAre("ns/c on n1"));
  binder_->Poll();
  EXPECT_EQ(End(attempt), "waits");
  SetClaim("c", "made", 21, selected_ + "," + settled_, "made-1");
  TellClaim("c");
  EXPECT_EQ(End(attempt), "waits");  // the volume has not been seen
  SetVolume("made-1", 22, "c", "uid-c");
  TellVolume("made-1");
  EXPECT_EQ(End(attempt), "bound");
}

TEST_F(VolumeBinderTest, WritesOneAfterTheOtherAndStopsAtAnError) {
  SetClaim("c", "wait", 1);
  SetClaim("d", "made", 1);
  SetClaim("e", "made", 1);
  SetVolume("pv", 1);
  const auto attempt = Reserve({"d", "c", "e"});
  PreBind(attempt);
  EXPECT_THAT(writer_.asked, ElementsAre("pv for ns/c, chosen"));
  writer_.Answer(std::string("2"));
  writer_.Answer(Error(ErrorCode::kConflict, "the object has been modified"));
  EXPECT_THAT(writer_.asked, ElementsAre("pv for ns/c, chosen", "ns/d on n1"));
  EXPECT_EQ(End(attempt), "the object has been modified");
  As<ReservePlugin>().Unreserve(attempt->state, attempt->pod, "n1");
  // What was written stays promised until the watch brings it; the rest is free again.
  EXPECT_TRUE(binder_->FindVolume("pv")->claim);
  EXPECT_EQ(binder_->FindClaim("ns/d")->metadata.annotations.count(kSelectedNodeAnnotation), 0u);
  EXPECT_EQ(binder_->FindClaim("ns/e")->metadata.annotations.count(kSelectedNodeAnnotation), 0u);
}

TEST_F(VolumeBinderTest, WhatIsPromisedIsNotPromisedAgain) {
  SetClaim("c", "wait", 1);
  SetClaim("d", "wait", 1);
  SetVolume("pv", 1);
  const auto first = Reserve({"c"});
  Begin({"d"});
  EXPECT_EQ(attempt_filter_.Message(), "node(s) didn't find available persistent volumes to bind");
  As<ReservePlugin>().Unreserve(first->state, first->pod, "n1");
  As<ReservePlugin>().Unreserve(first->state, first->pod, "n1");  // once is enough
  Reserve({"d"});
  // The API server's word goes before any promise.
  SetVolume("pv", 2);
  Begin({"c"});
  EXPECT_TRUE(attempt_filter_.ok());
  binder_->Poll();
  Begin({"c"});
  EXPECT_TRUE(attempt_filter_.ok());
}

TEST_F(VolumeBinderTest, AClaimPromisedToANodeStaysThere) {
  SetClaim("c", "made", 1);
  Reserve({"c"});
  EXPECT_EQ(
      binder_->FindClaim("ns/c")->metadata.annotations.at(std::string(kSelectedNodeAnnotation)),
      "n1");
  EXPECT_EQ(listers_.claims.Get("ns/c")->metadata.annotations.size(), 0u);
}

TEST_F(VolumeBinderTest, ReserveFailsWhenSomethingChangedSinceFilter) {
  SetClaim("c", "wait", 1);
  SetClaim("d", "made", 1);
  SetVolume("pv", 1);
  const auto attempt = Begin({"c", "d"});
  SetClaim("d", "made", 2);
  const Status status = As<ReservePlugin>().Reserve(attempt->state, attempt->pod, "n1");
  EXPECT_EQ(status.code(), Status::Code::kError);
  EXPECT_EQ(status.Message(), "\"ns/d\" is out of sync (stored: 2, assume: 1)");
  EXPECT_FALSE(binder_->FindVolume("pv")->claim);  // nothing is half promised
}

TEST_F(VolumeBinderTest, ClaimsBoundSinceFilterNeedNothing) {
  SetClaim("c", "wait", 1);
  SetVolume("pv", 1);
  const auto attempt = Begin({"c"});
  SetClaim("c", "wait", 2, settled_, "pv");
  EXPECT_TRUE(As<ReservePlugin>().Reserve(attempt->state, attempt->pod, "n1").ok());
  PreBind(attempt);
  ASSERT_EQ(attempt->ended.size(), 1u);
  EXPECT_TRUE(attempt->ended.front().skip());
}

TEST_F(VolumeBinderTest, AVolumeKeptByTheUserIsOnlyGivenTheUid) {
  SetClaim("c", "wait", 1);
  SetVolume("pv", 1, "c", "");
  PreBind(Reserve({"c"}));
  EXPECT_THAT(writer_.asked, ElementsAre("pv for ns/c"));
}

TEST_F(VolumeBinderTest, AVolumeThatHasTheClaimAlreadyIsNotWritten) {
  SetClaim("c", "wait", 1);
  SetVolume("pv", 1, "c", "uid-c");
  const auto attempt = Reserve({"c"});
  PreBind(attempt);
  EXPECT_THAT(writer_.asked, IsEmpty());
  EXPECT_EQ(End(attempt), "waits");
  SetClaim("c", "wait", 2, settled_, "pv");
  TellClaim("c");
  EXPECT_EQ(End(attempt), "bound");
}

TEST_F(VolumeBinderTest, GivesUpAfterTheTimeout) {
  const auto attempt = WaitForBinding();
  clock_.Advance(599s);
  binder_->Poll();
  EXPECT_EQ(End(attempt), "waits");
  clock_.Advance(1s);
  binder_->Poll();
  EXPECT_EQ(End(attempt), "binding volumes: context deadline exceeded");
}

TEST_F(VolumeBinderTest, GivesUpWhenBindingIsInVain) {
  const auto end = [&](const auto& attempt, const auto& change) {
    change();
    binder_->Poll();
    const std::string said = End(attempt);
    node_ = snapshot_.nodes()[0]->shared_node();
    exists_ = true;
    return said;
  };
  EXPECT_EQ(end(WaitForBinding(), [&] { exists_ = false; }),
            "binding volumes: pod does not exist any more: pod \"new\" not found");
  EXPECT_EQ(end(WaitForBinding(), [&] { node_ = nullptr; }),
            "binding volumes: failed to get node \"n1\": node \"n1\" not found");
  EXPECT_EQ(end(WaitForBinding(), [&] { SetVolume("pv", 21); }),
            "binding volumes: ClaimRef got reset for pv \"pv\"");
  EXPECT_EQ(end(WaitForBinding(), [&] { SetVolume("pv", 21, "c", "uid-c", "b"); }),
            "binding volumes: pv \"pv\" node affinity doesn't match node \"n1\": no matching "
            "NodeSelectorTerms");
  EXPECT_EQ(end(WaitForBinding(), [&] { listers_.volumes.Erase("pv"); }),
            "binding volumes: failed to check binding: persistentvolumes \"pv\" not found");
  EXPECT_EQ(end(WaitForBinding(), [&] { listers_.claims.Erase("ns/c"); }),
            "binding volumes: failed to check binding: persistentvolumeclaims \"ns/c\" not found");
  EXPECT_EQ(end(WaitForProvisioning(), [&] { SetClaim("c", "made", 21); }),
            "binding volumes: provisioning failed for PVC \"c\"");
  EXPECT_EQ(end(WaitForProvisioning(), [&] { listers_.claims.Erase("ns/c"); }),
            "binding volumes: failed to check provisioning pvc: persistentvolumeclaims \"ns/c\" "
            "not found");
  EXPECT_EQ(end(WaitForProvisioning(),
                [&] {
                  SetVolume("made-1", 22, "c", "uid-c", "b");
                  SetClaim("c", "made", 21, selected_ + "," + settled_, "made-1");
                }),
            "binding volumes: pv \"made-1\" node affinity doesn't match node \"n1\": no matching "
            "NodeSelectorTerms");
}

TEST_F(VolumeBinderTest, StoppingFailsWhatIsUnderWayAndWhatComes) {
  const auto attempt = WaitForBinding();
  binder_->Stop();
  EXPECT_EQ(End(attempt), "binding volumes: context canceled");
  const auto late = WaitForBinding();
  EXPECT_EQ(End(late), "binding volumes: context canceled");
}

TEST_F(VolumeBinderTest, ADryRunWritesNothingAndWaitsForNothing) {
  Use({});
  SetClaim("c", "wait", 1);
  SetVolume("pv", 1);
  const auto attempt = Reserve({"c"});
  PreBind(attempt);
  EXPECT_EQ(End(attempt), "bound");
  EXPECT_THAT(writer_.asked, IsEmpty());
}

// Watches, polls and scheduling are different threads.
TEST_F(VolumeBinderTest, IsSafeFromSeveralThreads) {
  SetClaim("c", "made", 1);
  std::atomic<bool> over = false;
  std::thread watch([&] {
    for (int version = 2; !over; ++version) {
      SetClaim("c", "made", version);
      TellClaim("c");
      binder_->Poll();
    }
  });
  for (int i = 0; i < 200; ++i) {
    const auto attempt = Begin({"c"});
    if (!attempt_filter_.ok()) continue;
    if (!As<ReservePlugin>().Reserve(attempt->state, attempt->pod, "n1").ok()) continue;
    As<ReservePlugin>().Unreserve(attempt->state, attempt->pod, "n1");
  }
  over = true;
  watch.join();
  EXPECT_EQ(binder_->FindClaim("ns/c")->metadata.annotations.count(kSelectedNodeAnnotation), 0u);
}

}  // namespace
}  // namespace leadline

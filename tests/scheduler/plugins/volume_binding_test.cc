#include <gmock/gmock.h>

#include "scheduler/plugins/storage_fixture.h"

namespace leadline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kName[] = "VolumeBinding";
constexpr char kUnreachable[] = "node(s) didn't match PersistentVolume's node affinity";
constexpr char kNoVolume[] = "node(s) didn't find available persistent volumes to bind";
constexpr char kNoRoom[] = "node(s) did not have enough free storage";
constexpr char kGone[] =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
constexpr char kBound[] = R"(,"annotations":{"pv.kubernetes.io/bind-completed":"yes"})";

class VolumeBindingTest : public StorageFixture {
 protected:
  VolumeBindingTest() {
    AddClass("wait", R"("provisioner":"kubernetes.io/no-provisioner",
                        "volumeBindingMode":"WaitForFirstConsumer")");
    AddClass("made", R"("provisioner":"maker","volumeBindingMode":"WaitForFirstConsumer",
                        "allowedTopologies":[{"matchLabelExpressions":[
                          {"key":"zone","values":["a","b"]}]}])");
    AddClass("now", R"("provisioner":"maker","volumeBindingMode":"Immediate")");
  }

  void AddWaiting(const std::string& name, const std::string& size = "1Gi",
                  const std::string& storage_class = "wait", const std::string& more = "",
                  const std::string& metadata = R"(,"uid":"uid-c")") {
    AddClaim(name,
             R"("storageClassName":")" + storage_class +
                 R"(","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
                 size + "\"}}" + more,
             metadata);
  }
  static std::string On(const std::string& key, const std::string& value) {
    return R"(,"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":")" +
           key + R"(","operator":"In","values":[")" + value + "\"]}]}]}}";
  }
  // An Available one of class "wait".
  void AddFree(const std::string& name, const std::string& size = "1Gi",
               const std::string& more = "", const std::string& phase = "Available") {
    listers_.volumes.Put(std::make_shared<const PersistentVolume>(
        ParsePersistentVolume(R"({"metadata":{"name":")" + name +
                              R"(","labels":{"speed":"fast"}},"spec":{"storageClassName":"wait",
               "accessModes":["ReadWriteOnce","ReadOnlyMany"],"capacity":{"storage":")" +
                              size + "\"}" + more + R"(},"status":{"phase":")" + phase + "\"}}")
            .value()));
  }

  std::string Refusal(const PodInfo& pod) {
    const Status status = PreFilter(kName, pod);
    EXPECT_TRUE(status.ok() || status.skip() ||
                status.code() == Status::Code::kUnschedulableAndUnresolvable);
    return status.skip() ? "skip" : status.Message();
  }
  std::vector<std::string> Reasons(const PodInfo& pod, const std::string& labels = "",
                                   const std::string& node = "n1") {
    EXPECT_EQ(Refusal(pod), "");
    const auto info =
        MakeNode(R"({"metadata":{"name":")" + node + R"(","labels":{)" + labels + "}}}");
    nodes_.push_back(info);
    const Status status = Filter(kName, pod, *info);
    EXPECT_TRUE(status.ok() || status.code() == Status::Code::kUnschedulableAndUnresolvable)
        << status.Message();
    return status.reasons();
  }

  // The plugin keeps views of the names of those it judged, as of a snapshot's.
  std::vector<std::shared_ptr<const NodeInfo>> nodes_;
};

TEST_F(VolumeBindingTest, PodsWithoutClaimsAreNotItsBusiness) {
  EXPECT_EQ(Refusal(PodWith({R"("emptyDir":{})", R"("csi":{"driver":"maker"})"})), "skip");
  EXPECT_EQ(Refusal(PodWith({})), "skip");
}

TEST_F(VolumeBindingTest, ClaimsMustBeThereAndSound) {
  const auto refusal = [&] { return Refusal(PodWith({Uses("c")})); };
  EXPECT_EQ(refusal(), "persistentvolumeclaim \"c\" not found");
  listers_.claims.Put(std::make_shared<const PersistentVolumeClaim>(
      ParsePersistentVolumeClaim(R"({"metadata":{"namespace":"ns","name":"c"},
          "spec":{"volumeName":"pv"},"status":{"phase":"Lost"}})")
          .value()));
  EXPECT_EQ(refusal(), "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"pv\"");
  AddWaiting("c", "1", "wait", "", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  EXPECT_EQ(refusal(), "persistentvolumeclaim \"c\" is being deleted");
  AddWaiting("c");
  EXPECT_EQ(refusal(), "");
}

TEST_F(VolumeBindingTest, EphemeralVolumesNeedAClaimOfTheirOwn) {
  const PodInfo pod = PodWith({R"("ephemeral":{})"});
  EXPECT_EQ(Refusal(pod),
            "waiting for ephemeral volume controller to create the persistentvolumeclaim "
            "\"new-v0\"");
  AddWaiting("new-v0");
  EXPECT_EQ(Refusal(pod), "PVC ns/new-v0 was not created for pod ns/new (pod is not owner)");
  AddWaiting("new-v0", "1Gi", "wait", "",
             R"(,"ownerReferences":[{"uid":"uid-new","controller":true}])");
  EXPECT_EQ(Refusal(pod), "");
}

TEST_F(VolumeBindingTest, WhatShouldBeBoundByNowIsWaitedFor) {
  constexpr char kImmediate[] = "pod has unbound immediate PersistentVolumeClaims";
  const PodInfo pod = PodWith({Uses("c")});
  AddWaiting("c", "1Gi", "now");
  EXPECT_EQ(Refusal(pod), kImmediate);
  AddWaiting("c", "1Gi", "");
  EXPECT_EQ(Refusal(pod), kImmediate);
  AddWaiting("c", "1Gi", "unheard-of");
  EXPECT_EQ(Refusal(pod), kImmediate);
  AddWaiting("c", "1Gi", "wait", R"(,"volumeName":"pv")");  // not settled
  EXPECT_EQ(Refusal(pod), kImmediate);
  AddWaiting("c", "1Gi", "now", R"(,"volumeName":"pv")", kBound);
  EXPECT_EQ(Refusal(pod), "");
  // A claim that is not there is worse, wherever it stands.
  AddWaiting("c", "1Gi", "now");
  EXPECT_EQ(Refusal(PodWith({Uses("c"), Uses("none")})),
            "persistentvolumeclaim \"none\" not found");
}

TEST_F(VolumeBindingTest, BoundVolumesMustBeReachable) {
  AddClaim("c", R"("volumeName":"pv")", kBound);
  const PodInfo pod = PodWith({Uses("c")});
  EXPECT_THAT(Reasons(pod), ElementsAre(kGone));
  AddVolume("pv", R"("local":{})");
  EXPECT_THAT(Reasons(pod), IsEmpty());
  AddVolume("pv", R"("local":{})" + On("zone", "a"));
  EXPECT_THAT(Reasons(pod, R"("zone":"a")"), IsEmpty());
  EXPECT_THAT(Reasons(pod, R"("zone":"b")"), ElementsAre(kUnreachable));
  EXPECT_THAT(Reasons(pod), ElementsAre(kUnreachable));
  AddVolume("pv", R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{}]}})");
  EXPECT_THAT(Reasons(pod), ElementsAre(kUnreachable));  // an empty term
  // The node's fields are not looked at.
  const auto by_name = [&](const std::string& op) {
    AddVolume("pv", R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchFields":[
        {"key":"metadata.name","values":["n2"],"operator":")" +
                        op + "\"}]}]}}");
    return Reasons(pod);
  };
  EXPECT_THAT(by_name("In"), IsEmpty());
  EXPECT_THAT(by_name("NotIn"), IsEmpty());
  EXPECT_THAT(by_name("Exists"), ElementsAre(kUnreachable));  // no such operator there
}

TEST_F(VolumeBindingTest, TheFirstBoundMissEndsTheCheckOfBoundClaimsOnly) {
  AddClaim("c", R"("volumeName":"far")", kBound);
  AddClaim("d", R"("volumeName":"gone")", kBound);
  AddVolume("far", R"("local":{})" + On("zone", "a"));
  AddWaiting("w");
  EXPECT_THAT(Reasons(PodWith({Uses("c"), Uses("d")})), ElementsAre(kUnreachable));
  EXPECT_THAT(Reasons(PodWith({Uses("d"), Uses("c")})), ElementsAre(kGone));
  EXPECT_THAT(Reasons(PodWith({Uses("w"), Uses("c")})), ElementsAre(kUnreachable, kNoVolume));
  EXPECT_THAT(Reasons(PodWith({Uses("d"), Uses("w")})), ElementsAre(kNoVolume, kGone));
}

TEST_F(VolumeBindingTest, MigratedVolumesAreSoughtByTheDriversLabels) {
  AddClaim("c", R"("volumeName":"pv")", kBound);
  const PodInfo pod = PodWith({Uses("c")});
  const auto migrate = [&](const std::string& plugins) {
    listers_.csi_nodes.Put(
        std::make_shared<const CsiNode>(ParseCsiNode(R"({"metadata":{"name":"n1","annotations":{
            "storage.alpha.kubernetes.io/migrated-plugins":")" +
                                                     plugins + "\"}}}")
                                            .value()));
  };
  const std::string gce = R"("topology.gke.io/zone":"a")",
                    plain = R"("topology.kubernetes.io/zone":"a")";
  AddVolume("pv", R"("gcePersistentDisk":{"pdName":"d"})" + On("topology.kubernetes.io/zone", "a"));
  EXPECT_THAT(Reasons(pod, plain), IsEmpty());
  EXPECT_THAT(Reasons(pod, gce), ElementsAre(kUnreachable));
  migrate("kubernetes.io/aws-ebs");
  EXPECT_THAT(Reasons(pod, plain), IsEmpty());
  migrate("kubernetes.io/aws-ebs,kubernetes.io/gce-pd");
  EXPECT_THAT(Reasons(pod, plain), ElementsAre(kUnreachable));
  EXPECT_THAT(Reasons(pod, gce), IsEmpty());
  // Without affinity the label of the volume names the zones.
  AddVolume("pv", R"("gcePersistentDisk":{"pdName":"d"})",
            R"("failure-domain.beta.kubernetes.io/zone":"us-east1-a__us-east1-b")");
  EXPECT_THAT(Reasons(pod, R"("topology.gke.io/zone":"us-east1-b")"), IsEmpty());
  EXPECT_THAT(Reasons(pod, plain), ElementsAre(kUnreachable));
  // Of the beta labels the region goes over to its successor.
  AddVolume("pv", R"("awsElasticBlockStore":{"volumeID":"vol-1"},"nodeAffinity":{"required":{
      "nodeSelectorTerms":[{"matchExpressions":[
        {"key":"failure-domain.beta.kubernetes.io/zone","operator":"In","values":["a"]},
        {"key":"failure-domain.beta.kubernetes.io/region","operator":"In","values":["r"]}]}]}})");
  EXPECT_THAT(
      Reasons(pod, R"("topology.ebs.csi.aws.com/zone":"a","topology.kubernetes.io/region":"r")"),
      IsEmpty());
  EXPECT_THAT(Reasons(pod, R"("topology.ebs.csi.aws.com/zone":"a")"), ElementsAre(kUnreachable));
}

TEST_F(VolumeBindingTest, AVolumeThatCannotBeTranslatedIsAnError) {
  AddClaim("c", R"("volumeName":"pv")", kBound);
  AddVolume("pv", R"("gcePersistentDisk":{"pdName":"d"})",
            R"("topology.kubernetes.io/zone":"a__b")");
  listers_.csi_nodes.Put(
      std::make_shared<const CsiNode>(ParseCsiNode(R"({"metadata":{"name":"n1","annotations":{
          "storage.alpha.kubernetes.io/migrated-plugins":"kubernetes.io/gce-pd"}}})")
                                          .value()));
  const PodInfo pod = PodWith({Uses("c")});
  ASSERT_EQ(Refusal(pod), "");
  const Status status = Filter(kName, pod, *MakeNode(R"({"metadata":{"name":"n1"}})"));
  EXPECT_EQ(status.code(), Status::Code::kError);
  EXPECT_THAT(status.Message(),
              ::testing::StartsWith(
                  "could not translate pv: failed to get region from zones: zone in unexpected"));
}

TEST_F(VolumeBindingTest, AWaitingClaimNeedsAFreeVolumeThatFits) {
  AddWaiting("c");
  const PodInfo pod = PodWith({Uses("c")});
  EXPECT_THAT(Reasons(pod), ElementsAre(kNoVolume));
  struct Case {
    std::string what, size, more, phase;
    bool fits;
  };
  const std::vector<Case> cases = {
      {"just large enough", "1Gi", "", "Available", true},
      {"too small", "1023Mi", "", "Available", false},
      {"released", "1Gi", "", "Released", false},
      {"raw", "1Gi", R"(,"volumeMode":"Block")", "Available", false},
      {"of other attributes", "1Gi", R"(,"volumeAttributesClassName":"x")", "Available", false},
      {"elsewhere", "1Gi", On("zone", "z"), "Available", false},
      {"here", "1Gi", On("zone", "a"), "Available", true},
      {"another's", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"d"})", "Available", false},
      {"of another space", "1Gi", R"(,"claimRef":{"namespace":"x","name":"c"})", "Bound", false},
      {"of an earlier one", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"c","uid":"o"})",
       "Bound", false},
      {"kept by name", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"c"})", "Pending", true},
      {"kept by uid", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"c","uid":"uid-c"})", "Bound",
       true},
      {"kept but small", "1Mi", R"(,"claimRef":{"namespace":"ns","name":"c"})", "Bound", false},
  };
  for (const Case& one : cases) {
    AddFree("pv", one.size, one.more, one.phase);
    EXPECT_EQ(Reasons(pod, R"("zone":"a")").empty(), one.fits) << one.what;
  }
}

TEST_F(VolumeBindingTest, ClaimsChooseBySelectorModesAndMode) {
  AddFree("pv");
  const PodInfo pod = PodWith({Uses("c")});
  const auto fits = [&](const std::string& more) {
    AddWaiting("c", "1Gi", "wait", more);
    return Reasons(pod).empty();
  };
  EXPECT_TRUE(fits(R"(,"selector":{"matchLabels":{"speed":"fast"}})"));
  EXPECT_FALSE(fits(R"(,"selector":{"matchLabels":{"speed":"slow"}})"));
  EXPECT_TRUE(fits(R"(,"accessModes":["ReadOnlyMany","ReadWriteOnce"])"));
  EXPECT_FALSE(fits(R"(,"accessModes":["ReadWriteMany"])"));
  EXPECT_FALSE(fits(R"(,"volumeMode":"Block")"));
  EXPECT_FALSE(fits(R"(,"volumeAttributesClassName":"gold")"));
  // What is kept for it need not match.
  AddFree("pv", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"c"})", "Bound");
  EXPECT_TRUE(fits(R"(,"accessModes":["ReadWriteMany"],"selector":{"matchLabels":{"a":"b"}})"));
  EXPECT_FALSE(fits(R"(,"volumeMode":"Block")"));
}

TEST_F(VolumeBindingTest, AKeptVolumeElsewhereLeavesNoChoice) {
  AddWaiting("c");
  AddFree("free");
  AddFree("kept", "1Gi", R"(,"claimRef":{"namespace":"ns","name":"c"})" + On("zone", "b"));
  EXPECT_THAT(Reasons(PodWith({Uses("c")}), R"("zone":"a")"), ElementsAre(kNoVolume));
  EXPECT_THAT(Reasons(PodWith({Uses("c")}), R"("zone":"b")"), IsEmpty());
}

TEST_F(VolumeBindingTest, SeveralClaimsShareOutTheVolumes) {
  AddWaiting("large", "10Gi", "wait", "", R"(,"uid":"l")");
  AddWaiting("small", "1Gi", "wait", "", R"(,"uid":"s")");
  const PodInfo pod = PodWith({Uses("large"), Uses("small")});
  AddFree("pv10", "10Gi");
  EXPECT_THAT(Reasons(pod), ElementsAre(kNoVolume));
  AddFree("pv2", "2Gi");  // the small one must not take pv10
  EXPECT_THAT(Reasons(pod), IsEmpty());
  // The same claim twice wants two.
  EXPECT_THAT(Reasons(PodWith({Uses("large"), Uses("large")})), ElementsAre(kNoVolume));
  AddFree("pv11", "11Gi");
  EXPECT_THAT(Reasons(PodWith({Uses("large"), Uses("large")})), IsEmpty());
}

TEST_F(VolumeBindingTest, VolumesOfOneNodeEachAreFoundByTheirNode) {
  AddWaiting("c");
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    AddFree("pv" + n, "1Gi", On("kubernetes.io/hostname", "n" + n));
  }
  const PodInfo pod = PodWith({Uses("c")});
  EXPECT_THAT(Reasons(pod, R"("kubernetes.io/hostname":"n19")"), IsEmpty());
  EXPECT_THAT(Reasons(pod, R"("kubernetes.io/hostname":"n20")"), ElementsAre(kNoVolume));
  EXPECT_THAT(Reasons(pod), ElementsAre(kNoVolume));
}

TEST_F(VolumeBindingTest, VolumesAreMadeWhereTheClassAllowsIt) {
  AddWaiting("c", "1Gi", "made");
  const PodInfo pod = PodWith({Uses("c")});
  EXPECT_THAT(Reasons(pod, R"("zone":"b")"), IsEmpty());
  EXPECT_THAT(Reasons(pod, R"("zone":"c")"), ElementsAre(kNoVolume));
  EXPECT_THAT(Reasons(pod), ElementsAre(kNoVolume));
  const auto allowed = [&](const std::string& terms) {
    AddClass("made", R"("provisioner":"maker","volumeBindingMode":"WaitForFirstConsumer",
                        "allowedTopologies":[)" +
                         terms + "]");
    return Reasons(pod, R"("zone":"c","rack":"1")").empty();
  };
  EXPECT_TRUE(allowed(""));
  EXPECT_FALSE(allowed("{}"));
  const std::string zone = R"({"key":"zone","values":["c"]})";
  EXPECT_TRUE(allowed(R"({},{"matchLabelExpressions":[)" + zone + "]}"));
  EXPECT_FALSE(
      allowed(R"({"matchLabelExpressions":[)" + zone + R"(,{"key":"rack","values":["2"]}]})"));
  // One that cannot be made after one that could not be found: that is the reason.
  AddWaiting("d", "1Gi", "wait");
  EXPECT_THAT(Reasons(PodWith({Uses("d"), Uses("c")})), ElementsAre(kNoVolume));
}

TEST_F(VolumeBindingTest, VolumesAreMadeWhereThereIsRoom) {
  AddClass("made", R"("provisioner":"maker","volumeBindingMode":"WaitForFirstConsumer")");
  AddWaiting("c", "2Gi", "made");
  const PodInfo pod = PodWith({Uses("c")});
  const auto driver = [&](const std::string& spec) {
    listers_.csi_drivers.Put(std::make_shared<const CsiDriver>(
        ParseCsiDriver(R"({"metadata":{"name":"maker"},"spec":{)" + spec + "}}").value()));
  };
  driver("");
  EXPECT_THAT(Reasons(pod), IsEmpty());
  driver(R"("storageCapacity":true)");
  EXPECT_THAT(Reasons(pod), ElementsAre(kNoRoom));
  const auto room = [&](const std::string& members, const std::string& storage_class = "made") {
    AddCapacity("room", R"("storageClassName":")" + storage_class + "\"" + members);
    return Reasons(pod, R"("zone":"a")").empty();
  };
  const std::string here = R"(,"nodeTopology":{"matchLabels":{"zone":"a"}})";
  EXPECT_TRUE(room(here + R"(,"capacity":"2Gi")"));
  EXPECT_FALSE(room(here + R"(,"capacity":"2047Mi")"));
  EXPECT_FALSE(room(here + R"(,"capacity":"9Gi","maximumVolumeSize":"1Gi")"));
  EXPECT_TRUE(room(here + R"(,"capacity":"1Gi","maximumVolumeSize":"2Gi")"));
  EXPECT_FALSE(room(here));
  EXPECT_FALSE(room(here + R"(,"capacity":"2Gi")", "another"));
  EXPECT_FALSE(room(R"(,"capacity":"2Gi")"));                   // nowhere
  EXPECT_TRUE(room(R"(,"capacity":"2Gi","nodeTopology":{})"));  // everywhere
  EXPECT_FALSE(room(R"(,"capacity":"2Gi","nodeTopology":{"matchLabels":{"zone":"b"}})"));
  AddClaim("c", R"("storageClassName":"made")");  // without a size nothing is counted
  EXPECT_THAT(Reasons(pod), IsEmpty());
}

TEST_F(VolumeBindingTest, AChosenNodeIsTheOnlyOne) {
  constexpr char kSelected[] = R"(,"annotations":{"volume.kubernetes.io/selected-node":"n1"})";
  AddWaiting("c", "1Gi", "made", "", kSelected);
  AddWaiting("d", "1Gi", "wait");
  EXPECT_THAT(Reasons(PodWith({Uses("c")}), R"("zone":"a")"), IsEmpty());
  EXPECT_THAT(Reasons(PodWith({Uses("c")}), R"("zone":"a")", "n2"), ElementsAre(kNoVolume));
  EXPECT_THAT(Reasons(PodWith({Uses("c")}), R"("zone":"c")"), ElementsAre(kNoVolume));
  // No volume is looked for any more.
  AddWaiting("d", "1Gi", "wait", "", kSelected);
  AddFree("pv");
  EXPECT_THAT(Reasons(PodWith({Uses("d")})), ElementsAre(kNoVolume));
}

TEST_F(VolumeBindingTest, ScoresByHowFullStorageWouldBe) {
  AddClass("made", R"("provisioner":"maker","volumeBindingMode":"WaitForFirstConsumer")");
  listers_.csi_drivers.Put(std::make_shared<const CsiDriver>(
      ParseCsiDriver(R"({"metadata":{"name":"maker"},"spec":{"storageCapacity":true}})").value()));
  AddCapacity("room", R"("storageClassName":"made","nodeTopology":{},"capacity":"10Gi")");
  AddWaiting("bound", "1Gi", "wait", "", R"(,"uid":"b")");
  AddWaiting("new", "3Gi", "made", "", R"(,"uid":"n")");
  AddWaiting("new2", "2Gi", "made", "", R"(,"uid":"m")");
  AddFree("pv", "4Gi");
  const auto score = [&](const std::vector<std::string>& claims, const std::string& args = "{}") {
    std::vector<std::string> sources;
    for (const std::string& claim : claims) sources.push_back(Uses(claim));
    const PodInfo pod = PodWith(sources);
    EXPECT_THAT(Reasons(pod), IsEmpty());
    const auto node = MakeNode(R"({"metadata":{"name":"n1"}})");
    const Status before = Make<PreScorePlugin>(kName)->PreScore(state_, pod, {});
    EXPECT_TRUE(before.ok());
    return Make<ScorePlugin>(kName, args)->Score(state_, pod, *node, 0).value();
  };
  EXPECT_EQ(score({"bound"}), 75);         // 1 of 4
  EXPECT_EQ(score({"new"}), 70);           // 3 of 10
  EXPECT_EQ(score({"new", "new2"}), 50);   // 5 of 10: the room is one
  EXPECT_EQ(score({"bound", "new"}), 75);  // what is made does not count beside what is bound
  EXPECT_EQ(score({"new"}, "{shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}"),
            30);
  AddClass("plain", R"("provisioner":"p","volumeBindingMode":"WaitForFirstConsumer")");
  AddWaiting("unknown", "1Gi", "plain");
  EXPECT_EQ(score({"unknown"}), 0);  // nobody says how much room there is
}

TEST_F(VolumeBindingTest, NothingToBindNothingToScore) {
  AddClaim("c", R"("volumeName":"pv")", kBound);
  AddVolume("pv", R"("local":{})");
  const PodInfo pod = PodWith({Uses("c")});
  EXPECT_THAT(Reasons(pod), IsEmpty());
  EXPECT_TRUE(Make<PreScorePlugin>(kName)->PreScore(state_, pod, {}).skip());
}

TEST_F(VolumeBindingTest, RefusesWrongArguments) {
  const auto mistake = [&](const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "t.yaml").value();
    (void)BuiltInPlugins(listers_)[kName](document.root().Get("args"), &document);
    const auto checked = document.Check();
    return checked ? std::string() : std::string(checked.error().message());
  };
  EXPECT_EQ(mistake("{kind: VolumeBindingArgs, bindTimeoutSeconds: 0}"), "");
  EXPECT_EQ(mistake("{shape: []}"), "");
  EXPECT_NE(mistake("{bindTimeoutSeconds: -1}"), "");
  EXPECT_NE(mistake("{shape: [{utilization: 101, score: 1}]}"), "");
  EXPECT_NE(mistake("{bindTimeout: 3}"), "");
}

}  // namespace
}  // namespace leadline

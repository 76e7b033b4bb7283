// Whom DefaultPreemption evicts: kube-scheduler's own situations, in worlds of our own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/plugins/preemption_fixture.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Code = Status::Code;

class DefaultPreemptionTest : public PreemptionFixture {
 protected:
  static PodText Pod(const std::string& name, int priority, const std::string& cpu = "1") {
    return {.name = name, .priority = priority, .cpu = cpu};
  }
  static PodText Started(PodText pod, int minute) {
    pod.status = StartedAt(minute);
    return pod;
  }
  static PodText App(PodText pod, const std::string& app) {
    pod.labels = R"("app":")" + app + "\"";
    return pod;
  }
  // Terminating for a Pod that preempted it.
  static PodText Leaving(PodText pod, const std::string& reason = "PreemptionByScheduler",
                         const std::string& status = "True") {
    pod.deleting = true;
    pod.status = R"("conditions":[{"type":"DisruptionTarget","status":")" + status +
                 R"(","reason":")" + reason + R"("}])";
    return pod;
  }
  const std::string kAppWeb = R"({"matchLabels":{"app":"web"}})";
};

// ------------------------------------------------------------------ who may preempt, and where

TEST_F(DefaultPreemptionTest, OnlyLessImportantPodsAreVictims) {
  AddNode("n1", 2, {Pod("low", 1, "2")});
  AddNode("n2", 2, {Pod("same", 5, "2")});
  AddNode("n3", 2, {Pod("high", 9, "2")});
  EXPECT_EQ(WhoGoes(Pod("p", 5, "2")), "n1: low");
}

TEST_F(DefaultPreemptionTest, ThePolicyNeverIsKept) {
  AddNode("n1", 2, {Pod("low", 1, "2")});
  PodText pod = Pod("p", 5, "2");
  pod.spec = R"("preemptionPolicy":"Never")";
  EXPECT_EQ(WhoGoes(pod), "preemption: not eligible due to preemptionPolicy=Never.");
  EXPECT_FALSE(wanted_.nominated_node) << "a nomination stays as it was";
  pod.spec = R"("preemptionPolicy":"PreemptLowerPriority")";
  EXPECT_EQ(WhoGoes(pod), "n1: low");
}

TEST_F(DefaultPreemptionTest, SaysWhyItDoesNotHelp) {
  AddNode("busy", 2, {Pod("high", 9, "2")});
  AddNode("half", 2, {Pod("other", 9, "1"), Pod("low", 1, "1")});
  AddNode("tainted", 2, {Pod("low2", 1, "2")}, R"("taints":[{"key":"k","effect":"NoSchedule"}])");
  AddNode("cordoned", 2, {Pod("low3", 1, "2")}, R"("unschedulable":true)");
  EXPECT_EQ(
      WhoGoes(Pod("p", 5, "2")),
      "preemption: 0/4 nodes are available: 1 Insufficient cpu, 1 No preemption victims found "
      "for incoming pod, 2 Preemption is not helpful for scheduling.");
  EXPECT_EQ(wanted_.nominated_node, "") << "an old nomination is taken back";
  EXPECT_TRUE(wanted_.victims.empty());
}

TEST_F(DefaultPreemptionTest, ANodeThatNobodysLeavingCanHelpIsLeftAlone) {
  AddNode("n1", 2, {Pod("low", 1, "2")}, R"("taints":[{"key":"k","effect":"NoExecute"}])");
  EXPECT_EQ(WhoGoes(Pod("p", 5, "2")),
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
}

TEST_F(DefaultPreemptionTest, APodThatIsTooLargeEvictsNobody) {
  AddNode("n1", 2, {Pod("low", 1, "1"), Pod("low2", 1, "1")});
  // Larger than the node: kube-scheduler calls that unresolvable.
  EXPECT_THAT(WhoGoes(Pod("p", 5, "3")), HasSubstr("preemption: 0/1 nodes are available: 1 "));
  EXPECT_TRUE(wanted_.victims.empty());
}

// ------------------------------------------------------------------------ waiting for victims

TEST_F(DefaultPreemptionTest, WaitsForTheVictimsOnItsNominatedNode) {
  AddNode("n1", 2, {Leaving(Pod("low", 1, "2"))});
  AddNode("n2", 2, {Pod("low2", 1, "2")});
  Nominate(Pod("p", 5, "2"), "n1");
  EXPECT_EQ(WhoGoes(Pod("p", 5, "2")),
            "preemption: not eligible due to a terminating pod on the nominated node.");
  EXPECT_FALSE(wanted_.nominated_node);
}

TEST_F(DefaultPreemptionTest, WaitsForNobodyElse) {
  const PodText p = Pod("p", 5, "2");
  Nominate(p, "n1");
  AddNode("n2", 2, {Pod("low2", 1, "2")});
  // Terminating for another reason, not for certain, or as important: not a victim to wait for.
  for (const PodText& other : {Leaving(Pod("low", 2, "2"), "DeletionByTaintManager"),
                               Leaving(Pod("low", 2, "2"), "PreemptionByScheduler", "False"),
                               Leaving(Pod("same", 5, "2"))}) {
    AddNode("n1", 2, {other});
    EXPECT_EQ(WhoGoes(p), "n2: low2") << other.name << other.status;
  }
  PodText plain = Pod("low", 2, "2");
  plain.deleting = true;
  AddNode("n1", 2, {plain});
  EXPECT_EQ(WhoGoes(p), "n2: low2");
}

TEST_F(DefaultPreemptionTest, DoesNotWaitOnANodeThatWillNotDoAnyMore) {
  const PodText p = Pod("p", 5, "2");
  AddNode("n2", 2, {Pod("low2", 1, "2")});
  AddNode("n1", 2, {Leaving(Pod("low", 1, "2"))}, R"("unschedulable":true)");
  Nominate(p, "n1");
  EXPECT_EQ(WhoGoes(p), "n2: low2");
  Nominate(p, "gone");
  EXPECT_EQ(WhoGoes(p), "n2: low2");
}

TEST_F(DefaultPreemptionTest, C79_ATerminatingPodOfTheSamePriorityIsWaitedForOnly) {
  PodText leaving = Pod("same", 5, "2");
  leaving.deleting = true;
  AddNode("n1", 2, {leaving});
  EXPECT_EQ(WhoGoes(Pod("p", 5, "2")),
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
  EXPECT_EQ(wanted_.nominated_node, "");
}

// --------------------------------------------------------------------------- whom on one node

TEST_F(DefaultPreemptionTest, TheMoreImportantAreReprieved) {
  AddNode("n1", 4, {Pod("a", 1), Pod("b", 3), Pod("c", 2), Pod("d", 4)});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: a c");
  std::vector<std::string> order;
  for (const auto& victim : wanted_.victims) order.push_back(victim->pod->metadata.name);
  EXPECT_THAT(order, ElementsAre("c", "a")) << "the most important first";
}

TEST_F(DefaultPreemptionTest, AmongEqualsThoseThatRunLongerStay) {
  AddNode("n1", 3, {Started(Pod("young", 1), 30), Started(Pod("old", 1), 10), Pod("new", 1)});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: new");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: new young");
}

TEST_F(DefaultPreemptionTest, ASmallOneMayStayWhereALargeOneGoes) {
  AddNode("n1", 4, {Pod("large", 5, "3"), Pod("small", 1, "1")});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "3")), "n1: large");
}

TEST_F(DefaultPreemptionTest, C77_OnePodTooManyTakesOneVictim) {
  max_pods_ = 3;
  AddNode("n1", 64, {Pod("a", 1, "20m"), Pod("b", 1, "20m"), Pod("c", 1, "20m")});
  Preempt(Pod("p", 9, "20m"));
  EXPECT_EQ(wanted_.victims.size(), 1u);
}

TEST_F(DefaultPreemptionTest, AHostPortIsTakenOver) {
  PodText low = Pod("low", 1), other = Pod("other", 1);
  const std::string port = R"("hostNetwork":true,"initContainers":[{"name":"s","restartPolicy":)"
                           R"("Always","ports":[{"containerPort":80,"hostPort":80}]}])";
  low.spec = port;
  AddNode("n1", 64, {low, other});
  PodText p = Pod("p", 9);
  p.spec = port;
  EXPECT_EQ(WhoGoes(p), "n1: low");
}

TEST_F(DefaultPreemptionTest, AntiAffinityIsLookedAtWithoutTheVictims) {
  PodText p = App(Pod("p", 9), "web");
  p.spec = R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
           R"({"labelSelector":{"matchLabels":{"app":"db"}},"topologyKey":"host"}]}})";
  AddNode("n1", 64, {App(Pod("db", 1), "db"), App(Pod("web", 1), "web")}, "", R"("host":"n1")");
  EXPECT_EQ(WhoGoes(p), "n1: db");
}

TEST_F(DefaultPreemptionTest, TheAntiAffinityOfAVictimGoesWithIt) {
  PodText hermit = Pod("hermit", 1);
  hermit.spec =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"([{"labelSelector":{"matchLabels":{"app":"web"}},"topologyKey":"host"}]}})";
  AddNode("n1", 64, {hermit, Pod("other", 1)}, "", R"("host":"n1")");
  EXPECT_EQ(WhoGoes(App(Pod("p", 9), "web")), "n1: hermit");
}

TEST_F(DefaultPreemptionTest, SpreadIsCountedWithoutTheVictims) {
  PodText p = App(Pod("p", 9), "web");
  p.spec = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":)"
           R"("DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}])";
  AddNode("n1", 64, {App(Pod("w1", 1), "web"), App(Pod("w2", 2), "web"), Pod("other", 1)}, "",
          R"("zone":"a")");
  // The other zone counts, but takes nobody.
  AddNode("n2", 64, {App(Pod("w3", 1), "web")}, R"("taints":[{"key":"k","effect":"NoSchedule"}])",
          R"("zone":"b")");
  EXPECT_EQ(WhoGoes(p), "n1: w1");
}

TEST_F(DefaultPreemptionTest, C87_AClaimForOnePodIsTakenOver) {
  // Whether the claim's volume is there is for others to say.
  disabled_ = {"UnsupportedFeatures", "VolumeBinding", "VolumeZone", "NodeVolumeLimits"};
  auto claim = ParsePersistentVolumeClaim(
      R"({"metadata":{"namespace":"d","name":"sole"},"spec":{"accessModes":["ReadWriteOncePod"]}})");
  ASSERT_TRUE(claim);
  listers_.claims.Put(std::make_shared<const PersistentVolumeClaim>(std::move(claim).value()));
  PodText owner = Pod("owner", 1), p = Pod("p", 9);
  owner.spec = p.spec = R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"sole"}}])";
  AddNode("n1", 64, {Pod("other", 1), owner});
  EXPECT_EQ(WhoGoes(p), "n1: owner");
  p.priority = 1;
  EXPECT_THAT(WhoGoes(p), HasSubstr("No preemption victims found for incoming pod"));
}

TEST_F(DefaultPreemptionTest, NominatedPodsOfEqualPriorityHaveTheirRoom) {
  AddNode("n1", 4, {Pod("low", 1, "2"), Pod("low2", 1, "2")});
  Nominate(Pod("waiting", 9, "2"), "n1");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: low low2");
  nominator_.Remove("waiting");
  Nominate(Pod("less", 8, "2"), "n1");
  Preempt(Pod("p", 9, "2"));
  EXPECT_EQ(wanted_.victims.size(), 1u);
}

// --------------------------------------------------------------------------- disruption budgets

TEST_F(DefaultPreemptionTest, WhomABudgetProtectsIsReprievedFirst) {
  AddNode("n1", 2, {App(Pod("web", 1), "web"), Pod("other", 5)});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: web");
  AddBudget("b", kAppWeb, 0);
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: other");
}

TEST_F(DefaultPreemptionTest, ABudgetIsBrokenWhereNothingElseHelps) {
  AddNode("n1", 2, {App(Pod("web", 1), "web"), App(Pod("web2", 2), "web")});
  AddBudget("b", kAppWeb, 0);
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: web");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: web web2");
}

TEST_F(DefaultPreemptionTest, WhatABudgetAllowsIsNoViolation) {
  AddNode("n1", 3, {App(Pod("w1", 3), "web"), App(Pod("w2", 2), "web"), Pod("other", 4)});
  // One may go: the first in the order of importance; the second would be too many.
  AddBudget("b", kAppWeb, 1);
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: w1");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: other w1");
}

TEST_F(DefaultPreemptionTest, WhoBreaksOneBudgetTakesNothingFromAnother) {
  // All are under the first budget, which lets one go. It must not be used up for the first Pod,
  // whose going breaks the second budget anyway.
  AddNode("n1", 3,
          {App(Pod("web", 3, "1500m"), "web"), App(Pod("db", 2, "1"), "db"),
           App(Pod("web2", 1, "500m"), "web")});
  AddBudget("b1", R"({"matchExpressions":[{"key":"app","operator":"Exists"}]})", 1);
  AddBudget("b2", kAppWeb, 0);
  // The two of the web are reprieved first; the larger does not fit, the smaller does.
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n1: db web");
}

TEST_F(DefaultPreemptionTest, BudgetsThatProtectNobodyHere) {
  AddNode("n1", 2, {App(Pod("web", 1), "web"), Pod("other", 5)});
  AddBudget("empty", "{}", 0);
  AddBudget("none", "null", 0);
  AddBudget("elsewhere", kAppWeb, 0, "", "e");
  AddBudget("unknown", R"({"matchExpressions":[{"key":"app","operator":"Near"}]})", 0);
  AddBudget("counted", kAppWeb, 0, R"("web":"2026-01-01T00:00:00Z")");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: web");
}

TEST_F(DefaultPreemptionTest, APodWithoutLabelsIsProtectedByNobody) {
  AddNode("n1", 2, {Pod("bare", 1), Pod("other", 5)});
  AddBudget("b", R"({"matchExpressions":[{"key":"app","operator":"DoesNotExist"}]})", 0);
  EXPECT_EQ(WhoGoes(Pod("p", 9, "1")), "n1: bare");
}

// -------------------------------------------------------------------------------- which node

TEST_F(DefaultPreemptionTest, FewestViolationsComeFirst) {
  AddNode("n1", 2, {App(Pod("web", 1, "2"), "web")});
  AddNode("n2", 2, {Pod("a", 5), Pod("b", 5)});
  AddBudget("b", kAppWeb, 0);
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n2: a b");
}

TEST_F(DefaultPreemptionTest, ThenTheLowestFirstVictim) {
  AddNode("n1", 2, {Pod("a", 5, "2")});
  AddNode("n2", 2, {Pod("b", 4), Pod("c", 4)});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n2: b c");
}

TEST_F(DefaultPreemptionTest, ThenTheSmallestSum) {
  AddNode("n1", 3, {Pod("a", 5), Pod("b", 4, "2")});
  AddNode("n2", 3, {Pod("c", 5), Pod("d", 3, "2")});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "3")), "n2: c d");
}

TEST_F(DefaultPreemptionTest, NegativePrioritiesDoNotMakeMoreVictimsLess) {
  AddNode("n1", 2, {Pod("a", -5), Pod("b", -5)});
  AddNode("n2", 2, {Pod("c", -5, "2")});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n2: c");
}

TEST_F(DefaultPreemptionTest, ThenTheFewestVictims) {
  // The lowest priority there is adds nothing to the sum.
  AddNode("n1", 2, {Pod("a", 0), Pod("b", -2147483647 - 1)});
  AddNode("n2", 2, {Pod("c", 0, "2")});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n2: c");
}

TEST_F(DefaultPreemptionTest, ThenTheOneWhoseOldestStartedLast) {
  AddNode("n1", 2, {Started(Pod("a", 1, "2"), 10)});
  AddNode("n2", 2, {Started(Pod("b", 1, "2"), 20)});
  AddNode("n3", 2, {Started(Pod("c", 1, "2"), 15)});
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n2: b");
  // Only the most important victims' start counts.
  AddNode("n4", 2, {Started(Pod("d", 1), 25), Started(Pod("e", 0), 1)});
  AddNode("n1", 2, {Started(Pod("a", 1), 10), Started(Pod("f", 0), 50)});
  nodes_.erase("n2");
  nodes_.erase("n3");
  EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n4: d e");
}

// -------------------------------------------------------------------------------- arguments

TEST_F(DefaultPreemptionTest, LooksAtAsManyNodesAsItIsTold) {
  for (int i = 0; i < 10; ++i) {
    // One of them is better than all the others.
    AddNode("n" + std::to_string(i), 2, {Pod("v" + std::to_string(i), i == 3 ? 1 : 2, "2")});
  }
  MakeFramework("{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1}");
  std::set<std::string> chosen;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(Preempt(Pod("p", 9, "2")).ok());
    chosen.insert(*wanted_.nominated_node);
  }
  EXPECT_EQ(chosen.size(), 10u) << "the first node that does, from a random one on";
  framework_.reset();
  MakeFramework("{minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: 0}");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "n3: v3");
}

TEST_F(DefaultPreemptionTest, LooksOnUntilOneNodeBreaksNoBudget) {
  for (int i = 0; i < 9; ++i) {
    AddNode("n" + std::to_string(i), 2, {App(Pod("v" + std::to_string(i), 1, "2"), "web")});
  }
  AddNode("free", 2, {Pod("v", 5, "2")});
  AddBudget("b", kAppWeb, 0);
  MakeFramework("{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1}");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(WhoGoes(Pod("p", 9, "2")), "free: v");
}

TEST_F(DefaultPreemptionTest, RefusesWrongArguments) {
  const auto mistake = [this](const std::string& args) {
    const auto document = YamlDocument::Parse("args: " + args + "\n", "test.yaml").value();
    (void)BuiltInPlugins(listers_)
        .find("DefaultPreemption")
        ->second(document.root().Get("args"), &document);
    const auto checked = document.Check();
    return checked ? std::string() : std::string(checked.error().message());
  };
  EXPECT_EQ(mistake("{minCandidateNodesPercentage: 5, minCandidateNodesAbsolute: 7}"), "");
  EXPECT_EQ(mistake("{minCandidateNodesPercentage: 0}"), "");
  EXPECT_THAT(mistake("{minCandidateNodesPercentage: 101}"), HasSubstr("100"));
  EXPECT_THAT(mistake("{minCandidateNodesPercentage: -1}"),
              HasSubstr("minCandidateNodesPercentage"));
  EXPECT_THAT(mistake("{minCandidateNodesAbsolute: -1}"), HasSubstr("minCandidateNodesAbsolute"));
  EXPECT_THAT(mistake("{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}"),
              HasSubstr("must not both be 0"));
  EXPECT_THAT(mistake("{maxCandidates: 3}"), HasSubstr("maxCandidates"));
}

}  // namespace
}  // namespace leadline

#include "leadline/framework/nominator.h"

#include <gtest/gtest.h>

namespace leadline {
namespace {

std::shared_ptr<Pod> WaitingPod(const std::string& uid, const std::string& nominated = "") {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = pod->metadata.uid = uid;
  pod->status.nominated_node_name = nominated;
  return pod;
}

std::shared_ptr<const PodInfo> InfoOf(const std::shared_ptr<const Pod>& pod) {
  return std::make_shared<const PodInfo>(pod);
}

std::string On(const Nominator& nominator, const std::string& node) {
  const auto picture = nominator.Get();
  const auto found = picture->find(node);
  std::string pods;
  if (found == picture->end()) return pods;
  for (const auto& pod : found->second) pods += pod->uid() + " ";
  return pods;
}

TEST(NominatorTest, ReadsTheStatus) {
  Nominator nominator;
  nominator.SetPod(nullptr, WaitingPod("a", "n1"));
  nominator.SetPod(nullptr, WaitingPod("b", "n1"));
  nominator.SetPod(nullptr, WaitingPod("c"));
  EXPECT_EQ(On(nominator, "n1"), "a b ");
  EXPECT_EQ(nominator.NodeOf("a"), "n1");
  EXPECT_EQ(nominator.NodeOf("c"), "");
  nominator.Remove("a");
  EXPECT_EQ(On(nominator, "n1"), "b ");
  EXPECT_EQ(nominator.NodeOf("a"), "");
  nominator.Remove("b");
  EXPECT_TRUE(nominator.Get()->empty());
}

TEST(NominatorTest, OnePodHasOneNode) {
  Nominator nominator;
  nominator.SetPod(nullptr, WaitingPod("a", "n1"));
  nominator.Nominate(InfoOf(WaitingPod("a")), "n2");
  EXPECT_EQ(On(nominator, "n1"), "");
  EXPECT_EQ(On(nominator, "n2"), "a ");
}

TEST(NominatorTest, OwnKnowledgeOutlivesNewsThatKnowNothing) {
  Nominator nominator;
  nominator.Nominate(InfoOf(WaitingPod("a")), "n1");
  // Its condition was written; the nomination is still on its way.
  const auto before = WaitingPod("a"), after = WaitingPod("a");
  nominator.SetPod(before.get(), after);
  EXPECT_EQ(nominator.NodeOf("a"), "n1");
  // Now it has come, is changed, and taken back: by whomever.
  const auto said = WaitingPod("a", "n1"), other = WaitingPod("a", "n2");
  nominator.SetPod(after.get(), said);
  EXPECT_EQ(nominator.NodeOf("a"), "n1");
  nominator.SetPod(said.get(), other);
  EXPECT_EQ(nominator.NodeOf("a"), "n2");
  nominator.SetPod(other.get(), WaitingPod("a"));
  EXPECT_EQ(nominator.NodeOf("a"), "");
}

TEST(NominatorTest, HoldsThePodsNewestState) {
  Nominator nominator;
  const auto old = WaitingPod("a", "n1"), now = WaitingPod("a", "n1");
  now->spec.priority = 7;
  nominator.SetPod(nullptr, old);
  const auto picture = nominator.Get();
  nominator.SetPod(old.get(), now);
  EXPECT_EQ(nominator.Get()->at("n1").front()->pod->Priority(), 7);
  EXPECT_EQ(picture->at("n1").front()->pod->Priority(), 0) << "a picture is frozen";
}

TEST(NominatorTest, AnEmptyNodeTakesItBack) {
  Nominator nominator;
  nominator.Nominate(InfoOf(WaitingPod("a")), "n1");
  nominator.Nominate(InfoOf(WaitingPod("a", "n1")), "");
  EXPECT_EQ(nominator.NodeOf("a"), "");
  EXPECT_TRUE(nominator.Get()->empty());
}

}  // namespace
}  // namespace leadline

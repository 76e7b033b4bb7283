#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/framework/scripted_plugin.h"

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FrameworkMakeTest : public testing::Test {
 protected:
  FrameworkMakeTest() {
    RegisterAgeSort(&registry_);
    for (const char* name : {"A", "B", "C"}) Register(&registry_, name);
    profile_.scheduler_name = "s";
    profile_.default_plugins = {{"AgeSort"}, {"A"}, {"B"}, {"C"}};
  }
  std::string Mistake() {
    const auto made = Framework::Make(profile_, registry_, nullptr);
    return made ? "none" : made.error().message();
  }
  // Names with weights where they are set, as they run at `point`.
  std::vector<std::string> Order(ExtensionPoint point) {
    PluginMap plugins;
    for (const auto& [name, factory] : registry_) {
      plugins.emplace(name, *factory(YamlNode::Absent(), nullptr));
    }
    std::vector<std::string> names;
    for (const EnabledPlugin& plugin : ResolvePlugins(profile_, point, plugins)) {
      names.push_back(plugin.name +
                      (plugin.weight == 0 ? "" : ":" + std::to_string(plugin.weight)));
    }
    return names;
  }

  PluginRegistry registry_;
  ProfileConfig profile_;
};

TEST_F(FrameworkMakeTest, MultiPointGoesWhereThePluginImplements) {
  EXPECT_THAT(Order(ExtensionPoint::kFilter), ElementsAre("A", "B", "C"));
  EXPECT_THAT(Order(ExtensionPoint::kQueueSort), ElementsAre("AgeSort"));
}

TEST_F(FrameworkMakeTest, WhatAPointNamesItselfComesFirst) {
  profile_.points[ExtensionPoint::kScore].enabled = {{"C", 5}};
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("C:5", "A", "B"));
  EXPECT_THAT(Order(ExtensionPoint::kFilter), ElementsAre("A", "B", "C"));
}

TEST_F(FrameworkMakeTest, WhatOnlyAPointNamesComesLast) {
  Register(&registry_, "D");
  profile_.points[ExtensionPoint::kScore].enabled = {{"D", 2}};
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("A", "B", "C", "D:2"));
}

TEST_F(FrameworkMakeTest, DisabledAtAPointOrEverywhere) {
  profile_.points[ExtensionPoint::kFilter].disabled = {"B"};
  EXPECT_THAT(Order(ExtensionPoint::kFilter), ElementsAre("A", "C"));
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("A", "B", "C"));
  profile_.points[ExtensionPoint::kScore].disabled = {"*"};
  profile_.points[ExtensionPoint::kScore].enabled = {{"B"}};
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("B"));
  profile_.multi_point.disabled = {"*"};
  profile_.multi_point.enabled = {{"C"}, {"A"}};
  EXPECT_THAT(Order(ExtensionPoint::kReserve), ElementsAre("C", "A"));
}

TEST_F(FrameworkMakeTest, ADefaultEnabledAgainKeepsItsPlaceNotItsWeight) {
  profile_.multi_point.enabled = {{"B", 7}};
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("A", "B:7", "C"));
}

TEST_F(FrameworkMakeTest, RefusesWhatIsWrongByName) {
  EXPECT_EQ(Mistake(), "none");
  const ProfileConfig right = profile_;

  profile_.multi_point.enabled = {{"Nobody"}};
  EXPECT_THAT(Mistake(), HasSubstr("profile \"s\": unknown plugin Nobody; there are A, AgeSort"));
  profile_ = right;
  profile_.points[ExtensionPoint::kQueueSort].enabled = {{"A"}};
  EXPECT_THAT(Mistake(), HasSubstr("A is enabled at queueSort, which it does not implement"));
  profile_ = right;
  profile_.points[ExtensionPoint::kScore].enabled = {{"A"}, {"A"}};
  EXPECT_THAT(Mistake(), HasSubstr("A is enabled twice"));
  profile_ = right;
  profile_.multi_point.disabled = {"AgeSort"};
  EXPECT_THAT(Mistake(), HasSubstr("no QueueSort plugin"));
  profile_ = right;
  profile_.points[ExtensionPoint::kBind].disabled = {"*"};
  EXPECT_THAT(Mistake(), HasSubstr("no Bind plugin"));
  profile_ = right;
  profile_.points[ExtensionPoint::kScore].enabled = {{"A", 2'000'000'000}};
  EXPECT_THAT(Mistake(), HasSubstr("add up to too much"));
  profile_.points[ExtensionPoint::kScore].enabled = {{"A", -1}};
  EXPECT_THAT(Mistake(), HasSubstr("A: the weight is negative"));
  profile_ = right;
  profile_.args.emplace("Nobody", YamlNode::Absent());
  EXPECT_THAT(Mistake(), HasSubstr("pluginConfig names an unknown plugin, Nobody"));
}

}  // namespace
}  // namespace leadline

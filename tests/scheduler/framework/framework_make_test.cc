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

TEST_F(FrameworkMakeTest, RefusesWhatWouldRunUnprepared) {
  profile_.points[ExtensionPoint::kPreFilter].disabled = {"B"};
  EXPECT_EQ(Mistake(),
            "profile \"s\": plugin B is enabled at filter but not at preFilter, where it prepares "
            "for that");
  profile_.points[ExtensionPoint::kFilter].disabled = {"B"};
  EXPECT_EQ(Mistake(), "none");
  profile_.points[ExtensionPoint::kPreScore].disabled = {"*"};
  EXPECT_EQ(Mistake(),
            "profile \"s\": plugin A is enabled at score but not at preScore, where it prepares "
            "for that");
  profile_.points[ExtensionPoint::kScore].disabled = {"*"};
  EXPECT_EQ(Mistake(), "none");
}

TEST_F(FrameworkMakeTest, RefusesTwoPluginsThatOrderTheQueue) {
  registry_.emplace("OtherSort", [](const YamlNode&, const YamlDocument*) {
    class OtherSort : public AgeSort {
      std::string_view Name() const override { return "OtherSort"; }
    };
    return Result<std::shared_ptr<Plugin>>(std::make_shared<OtherSort>());
  });
  profile_.multi_point.enabled = {{"OtherSort"}};
  EXPECT_THAT(Mistake(), HasSubstr("two QueueSort plugins are enabled, AgeSort and OtherSort"));
  std::vector<std::unique_ptr<Framework>> together;
  profile_.multi_point = {};
  together.push_back(*Framework::Make(profile_, registry_, nullptr));
  const auto said = [&] {
    const Result<void> checked = Framework::CheckTogether(together);
    return checked ? "none" : checked.error().message();
  };
  EXPECT_EQ(said(), "none");
  profile_.scheduler_name = "t";
  together.push_back(*Framework::Make(profile_, registry_, nullptr));
  EXPECT_EQ(said(), "none");
  profile_.scheduler_name = "s";
  together.push_back(*Framework::Make(profile_, registry_, nullptr));
  EXPECT_EQ(said(), "two profiles have the name \"s\"");
  together.pop_back();
  profile_.scheduler_name = "u";
  profile_.points[ExtensionPoint::kQueueSort].disabled = {"AgeSort"};
  profile_.points[ExtensionPoint::kQueueSort].enabled = {{"OtherSort"}};
  together.push_back(*Framework::Make(profile_, registry_, nullptr));
  EXPECT_EQ(said(),
            "profile \"s\" orders the queue by AgeSort, profile \"u\" by OtherSort; the queue is "
            "one");
}

TEST_F(FrameworkMakeTest, MultiPointWithDefaultsOffTakesItsOwnOrder) {
  profile_.multi_point.disabled = {"*"};
  profile_.multi_point.enabled = {{"C", 3}, {"AgeSort"}, {"A"}};
  EXPECT_EQ(Mistake(), "none");
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("C:3", "A"));
  profile_.points[ExtensionPoint::kScore].enabled = {{"B", 2}, {"A", 9}};
  EXPECT_THAT(Order(ExtensionPoint::kScore), ElementsAre("A:9", "C:3", "B:2"));
}

TEST_F(FrameworkMakeTest, EachProfileHasItsOwnPlugins) {
  int made = 0;
  registry_.emplace("Counted", [&made](const YamlNode&, const YamlDocument*) {
    return Result<std::shared_ptr<Plugin>>(std::make_shared<ScriptedPlugin>(
        "Counted" + std::to_string(++made), std::make_shared<Script>()));
  });
  profile_.multi_point.enabled = {{"Counted"}};
  const auto one = Framework::Make(profile_, registry_, nullptr);
  const auto two = Framework::Make(profile_, registry_, nullptr);
  EXPECT_TRUE(one.has_value() && two.has_value());
  EXPECT_EQ(made, 2);
  profile_.multi_point.enabled = {};
  profile_.multi_point.disabled = {"Counted"};  // what is off is not even made
  EXPECT_TRUE(Framework::Make(profile_, registry_, nullptr).has_value());
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace leadline

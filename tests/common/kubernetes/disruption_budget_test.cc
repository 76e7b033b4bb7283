#include "leadline/kubernetes/disruption_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DisruptionBudgetTest, ReadsWhatPreemptionNeeds) {
  const auto budget = ParseDisruptionBudget(R"({
    "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}},
    "status": {"disruptionsAllowed": 2, "currentHealthy": 3,
               "disruptedPods": {"web-1": "2026-01-01T00:00:00Z", "web-0": null}}})");
  ASSERT_TRUE(budget) << budget.error().message();
  EXPECT_EQ(budget->metadata.Key(), "shop/web");
  ASSERT_TRUE(budget->selector);
  EXPECT_TRUE(budget->selector->Matches({{"app", "web"}}));
  EXPECT_FALSE(budget->selector->Matches({{"app", "db"}}));
  EXPECT_EQ(budget->disruptions_allowed, 2);
  EXPECT_THAT(budget->disrupted_pods, ElementsAre("web-0", "web-1"));
}

TEST(DisruptionBudgetTest, WhatIsNotThereIsZero) {
  const auto budget = ParseDisruptionBudget(R"({"metadata": {"name": "b"}, "spec": {}})");
  ASSERT_TRUE(budget);
  EXPECT_FALSE(budget->selector);
  EXPECT_EQ(budget->disruptions_allowed, 0);
}

TEST(DisruptionBudgetTest, NamesTheFieldThatIsWrong) {
  const auto budget = ParseDisruptionBudget(R"({"status": {"disruptionsAllowed": "many"}})");
  ASSERT_FALSE(budget);
  EXPECT_THAT(budget.error().message(), HasSubstr("status.disruptionsAllowed"));
}

}  // namespace
}  // namespace leadline

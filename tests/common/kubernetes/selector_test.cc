#include <gtest/gtest.h>

#include "leadline/kubernetes/metadata.h"
#include "leadline/kubernetes/node.h"

namespace leadline {
namespace {

using Operator = Requirement::Operator;

Requirement Numeric(Operator op, std::string value) { return {"size", op, {std::move(value)}}; }

bool Matches(const Requirement& requirement, const std::string& label) {
  return requirement.Matches({{"size", label}});
}

TEST(RequirementTest, GreaterAndLessCompareWholeNumbersOnly) {
  const Requirement above = Numeric(Operator::kGt, "150");
  EXPECT_TRUE(Matches(above, "500"));
  EXPECT_FALSE(Matches(above, "150"));
  EXPECT_FALSE(Matches(above, "abc"));
  EXPECT_FALSE(Matches(above, ""));
  EXPECT_FALSE(Matches(above, "500.5"));
  EXPECT_FALSE(Matches(above, "9223372036854775808"));
  EXPECT_FALSE(above.Matches({}));
  EXPECT_TRUE(Matches(Numeric(Operator::kLt, "200"), "150"));
  EXPECT_FALSE(Matches(Numeric(Operator::kLt, "200"), "200"));
  EXPECT_FALSE(Matches(Numeric(Operator::kGt, "150.1"), "500"));
  EXPECT_TRUE(Matches(Numeric(Operator::kGt, "-1"), "0"));
  EXPECT_TRUE(Matches(Numeric(Operator::kLt, "8"), "007"));
  EXPECT_TRUE(Matches(Numeric(Operator::kGt, "6"), "+7"));
}

TEST(RequirementTest, AbsentKeysMatchOnlyNegations) {
  EXPECT_FALSE((Requirement{"a", Operator::kIn, {"1"}}.Matches({})));
  EXPECT_TRUE((Requirement{"a", Operator::kNotIn, {"1"}}.Matches({})));
  EXPECT_FALSE((Requirement{"a", Operator::kExists, {}}.Matches({})));
  EXPECT_TRUE((Requirement{"a", Operator::kDoesNotExist, {}}.Matches({})));
  EXPECT_TRUE((Requirement{"a", Operator::kExists, {}}.Matches({{"a", ""}})));
  EXPECT_FALSE((Requirement{"a", Operator::kUnknown, {}}.Matches({{"a", ""}})));
}

TEST(LabelSelectorTest, EmptyMatchesEverythingAndAllMustHold) {
  EXPECT_TRUE(LabelSelector{}.Matches({}));
  const LabelSelector both{{{"a", Operator::kIn, {"1", "2"}}, {"b", Operator::kExists, {}}}};
  EXPECT_TRUE(both.Matches({{"a", "2"}, {"b", "x"}}));
  EXPECT_FALSE(both.Matches({{"a", "2"}}));
}

TEST(TolerationTest, EmptyPartsAndOperators) {
  const Taint taint{"k", "v", "NoExecute"};
  EXPECT_FALSE(Tolerates({"", "Exists", "", "NoSchedule"}, taint));
  EXPECT_TRUE(Tolerates({"", "Exists", "", ""}, taint));
  EXPECT_FALSE(Tolerates({"k", "", "", ""}, taint));  // Equal, and "" is not "v"
  EXPECT_TRUE(Tolerates({"k", "", "v", ""}, taint));
  EXPECT_TRUE(Tolerates({"k", "Exists", "", ""}, taint));
  EXPECT_FALSE(Tolerates({"k", "Gt", "v", ""}, taint));
  EXPECT_FALSE(Tolerates({"other", "Exists", "", ""}, taint));
}

Node NamedNode(const std::string& name, StringMap labels) {
  Node node;
  node.metadata.name = name;
  node.metadata.labels = std::move(labels);
  return node;
}

TEST(NodeAffinityTest, TermsAreAlternativesAndSelectorsAreNot) {
  const Node node = NamedNode("n1", {{"disk", "ssd"}});
  Pod pod;
  EXPECT_TRUE(MatchesRequiredNodeAffinity(pod, node));
  pod.spec.node_affinity.required = {{{{"disk", Operator::kIn, {"hdd"}}}, {}},
                                     {{}, {{"metadata.name", Operator::kIn, {"n1"}}}}};
  EXPECT_TRUE(MatchesRequiredNodeAffinity(pod, node));
  EXPECT_FALSE(MatchesRequiredNodeAffinity(pod, NamedNode("n2", {{"disk", "ssd"}})));
  pod.spec.node_selector = {{"disk", "hdd"}};
  EXPECT_FALSE(MatchesRequiredNodeAffinity(pod, node));
}

TEST(NodeAffinityTest, EmptyTermsMatchNothing) {
  const Node node = NamedNode("n1", {});
  EXPECT_FALSE(MatchesNodeSelectorTerm({}, node));
  Pod pod;
  pod.spec.node_affinity.required = std::vector<NodeSelectorTerm>(1);
  EXPECT_FALSE(MatchesRequiredNodeAffinity(pod, node));
}

TEST(NodeAffinityTest, FieldsAreTheNameWithOneValue) {
  const Node node = NamedNode("n1", {});
  const auto term = [](Operator op, std::vector<std::string> values) {
    return NodeSelectorTerm{{}, {{"metadata.name", op, std::move(values)}}};
  };
  EXPECT_TRUE(MatchesNodeSelectorTerm(term(Operator::kIn, {"n1"}), node));
  EXPECT_TRUE(MatchesNodeSelectorTerm(term(Operator::kNotIn, {"n2"}), node));
  EXPECT_FALSE(MatchesNodeSelectorTerm(term(Operator::kNotIn, {"n1"}), node));
  EXPECT_FALSE(MatchesNodeSelectorTerm(term(Operator::kIn, {"n1", "n2"}), node));
  EXPECT_FALSE(MatchesNodeSelectorTerm(term(Operator::kExists, {}), node));
}

}  // namespace
}  // namespace leadline

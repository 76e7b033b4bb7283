#include "args.h"
#include "node_affinity.h"

namespace leadline {
namespace {

using Operator = Requirement::Operator;

void ReadOperator(const YamlNode& node, Operator* out) {
  std::string text;
  if (!node.Require(&text)) return;
  if (text == "In") *out = Operator::kIn;
  if (text == "NotIn") *out = Operator::kNotIn;
  if (text == "Exists") *out = Operator::kExists;
  if (text == "DoesNotExist") *out = Operator::kDoesNotExist;
  if (text == "Gt") *out = Operator::kGt;
  if (text == "Lt") *out = Operator::kLt;
  if (*out == Operator::kUnknown) node.Expected("In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

std::vector<Requirement> ReadRequirements(const YamlNode& list) {
  std::vector<Requirement> all;
  for (const YamlNode& item : list.Items()) {
    Requirement& requirement = all.emplace_back();
    item.Get("key").Require(&requirement.key);
    ReadOperator(item.Get("operator"), &requirement.op);
    item.Get("values").Read(&requirement.values);
    item.RejectUnknownKeys();
  }
  return all;
}

NodeSelectorTerm ReadTerm(const YamlNode& node) {
  NodeSelectorTerm term;
  term.match_expressions = ReadRequirements(node.Get("matchExpressions"));
  term.match_fields = ReadRequirements(node.Get("matchFields"));
  node.RejectUnknownKeys();
  return term;
}

}  // namespace

NodeAffinityArgs NodeAffinityArgs::Read(const YamlNode& node) {
  NodeAffinityArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "NodeAffinityArgs");
  const YamlNode added = node.Get("addedAffinity");
  const YamlNode required = added.Get("requiredDuringSchedulingIgnoredDuringExecution");
  if (required.exists()) {
    args.added.required.emplace();
    for (const YamlNode& term : required.Get("nodeSelectorTerms").Items()) {
      args.added.required->push_back(ReadTerm(term));
    }
    if (args.added.required->empty()) required.Expected("nodeSelectorTerms, at least one");
    required.RejectUnknownKeys();
  }
  for (const YamlNode& item :
       added.Get("preferredDuringSchedulingIgnoredDuringExecution").Items()) {
    PreferredSchedulingTerm& preferred = args.added.preferred.emplace_back();
    if (!item.Get("weight").exists()) item.Get("weight").Expected("a whole number, 1 to 100");
    item.Get("weight").Read(&preferred.weight, 1, 100);
    preferred.term = ReadTerm(item.Get("preference"));
    item.RejectUnknownKeys();
  }
  if (added.exists()) {
    if (!required.exists() && args.added.preferred.empty()) {
      added.Expected("required or preferred terms");
    }
    added.RejectUnknownKeys();
  }
  node.RejectUnknownKeys();
  return args;
}

}  // namespace leadline

#include "args.h"
#include "node_resources_fit.h"

namespace leadline {
namespace {

std::set<std::string> ReadNames(const YamlNode& node) {
  std::vector<std::string> names;
  node.Read(&names);
  return {names.begin(), names.end()};
}

void ReadStrategy(const YamlNode& node, NodeResourcesFitArgs* args) {
  using Strategy = NodeResourcesFitArgs::Strategy;
  std::string type = "LeastAllocated";
  node.Get("type").Read(&type);
  if (type == "MostAllocated") {
    args->strategy = Strategy::kMostAllocated;
  } else if (type == "RequestedToCapacityRatio") {
    args->strategy = Strategy::kRequestedToCapacityRatio;
    const YamlNode ratio = node.Get("requestedToCapacityRatio");
    args->shape = ReadShape(ratio.Get("shape"));
    ratio.RejectUnknownKeys();
  } else if (type != "LeastAllocated") {
    node.Get("type").Expected("LeastAllocated, MostAllocated or RequestedToCapacityRatio");
  }
  ReadScoredResources(node.Get("resources"), 100, &args->resources);
  node.RejectUnknownKeys();
}

}  // namespace

NodeResourcesFitArgs NodeResourcesFitArgs::Read(const YamlNode& node) {
  NodeResourcesFitArgs args;
  if (!node.exists()) return args;
  CheckArgsKind(node, "NodeResourcesFitArgs");
  args.ignored_resources = ReadNames(node.Get("ignoredResources"));
  args.ignored_resource_groups = ReadNames(node.Get("ignoredResourceGroups"));
  for (const std::string& group : args.ignored_resource_groups) {
    if (group.find('/') != std::string::npos) {
      node.Get("ignoredResourceGroups").Expected("names without a slash, not '" + group + "'");
    }
  }
  if (node.Get("scoringStrategy").exists()) ReadStrategy(node.Get("scoringStrategy"), &args);
  node.RejectUnknownKeys();
  return args;
}

}  // namespace leadline

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
  std::string type;
  if (node.Get("type").Read(&type)) {
    if (type == "MostAllocated") {
      args->strategy = NodeResourcesFitArgs::Strategy::kMostAllocated;
    } else if (type != "LeastAllocated") {
      node.Get("type").Expected("LeastAllocated or MostAllocated");
    }
  }
  std::vector<NodeResourcesFitArgs::Weight> resources;
  for (const YamlNode& item : node.Get("resources").Items()) {
    NodeResourcesFitArgs::Weight& entry = resources.emplace_back();
    item.Get("name").Require(&entry.resource);
    item.Get("weight").Read(&entry.weight, 1, 100);
    item.RejectUnknownKeys();
  }
  if (!resources.empty()) args->resources = std::move(resources);
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

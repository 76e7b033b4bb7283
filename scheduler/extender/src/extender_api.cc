#include "leadline/extender/extender_api.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include "extender_json.h"

namespace leadline {
namespace {

Result<void> ReadNodeNames(od::value value, ExtenderArgs* args) {
  od::array names;
  if (value.get_array().get(names) != simdjson::SUCCESS) {
    return Wrong("NodeNames", "a list of names");
  }
  for (auto item : names) {
    std::string_view name;
    if (item.get_string().get(name) != simdjson::SUCCESS) {
      return Wrong("NodeNames", "a list of names");
    }
    args->node_names.emplace_back(name);
  }
  return {};
}

Result<void> ReadNodes(od::value value, ExtenderArgs* args) {
  od::array items;
  if (value["items"].get_array().get(items) != simdjson::SUCCESS) {
    return Wrong("Nodes", "a NodeList with items");
  }
  args->node_json.emplace();
  for (auto item : items) {
    std::string_view raw, name;
    od::value node;
    if (item.get(node) != simdjson::SUCCESS ||
        simdjson::to_json_string(node).get(raw) != simdjson::SUCCESS) {
      return Wrong("Nodes.items", "a list of Nodes");
    }
    od::parser parser;
    const simdjson::padded_string padded(raw);
    od::document document;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
        document["metadata"]["name"].get_string().get(name) != simdjson::SUCCESS) {
      return Wrong("Nodes.items", "Nodes with metadata.name");
    }
    args->node_names.emplace_back(name);
    args->node_json->insert_or_assign(std::string(name), std::string(raw));
  }
  return {};
}

}  // namespace

Result<ExtenderArgs> ParseExtenderArgs(std::string_view text) {
  ExtenderArgs args;
  bool has_pod = false, has_nodes = false;
  const auto read = ReadBody(text, "a JSON object with Pod and NodeNames or Nodes",
                             [&](std::string_view key, od::value value) -> Result<void> {
                               const bool pod = Is(key, "Pod"), names = Is(key, "NodeNames"),
                                          nodes = Is(key, "Nodes");
                               has_pod |= pod;
                               has_nodes |= names || nodes;
                               if (pod) return ReadPod(value, &args.pod);
                               if (names) return ReadNodeNames(value, &args);
                               return nodes ? ReadNodes(value, &args) : Result<void>();
                             });
  if (!read) return read.error();
  if (!has_pod) return Wrong("Pod", "to be present");
  if (!has_nodes) return Wrong("NodeNames", "to be present (or Nodes)");
  return args;
}

Result<ExtenderBinding> ParseExtenderBinding(std::string_view text) {
  ExtenderBinding binding;
  const std::array<std::pair<const char*, std::string*>, 4> fields = {{
      {"PodName", &binding.pod_name},
      {"PodNamespace", &binding.pod_namespace},
      {"PodUID", &binding.pod_uid},
      {"Node", &binding.node},
  }};
  const auto read = ReadBody(text, "a JSON object with PodName, PodNamespace, PodUID and Node",
                             [&](std::string_view key, od::value value) -> Result<void> {
                               for (const auto& [name, out] : fields) {
                                 std::string_view field;
                                 if (!Is(key, name)) continue;
                                 if (value.get_string().get(field) != simdjson::SUCCESS) {
                                   return Wrong(name, "a text");
                                 }
                                 *out = field;
                               }
                               return {};
                             });
  if (!read) return read.error();
  for (const auto& [name, out] : fields) {
    if (out->empty()) return Wrong(name, "to be present");
  }
  return binding;
}

std::string ErrorJson(std::string_view error) {
  return boost::json::serialize(boost::json::object{{"Error", error}});
}

std::string ToJson(const ExtenderFilterResult& result, const ExtenderArgs& args) {
  namespace json = boost::json;
  const auto reasons = [](const auto& nodes) {
    json::object map;
    for (const auto& [node, text] : nodes) map[node] = text;
    return json::serialize(map);
  };
  std::string names = "null", nodes = "null";
  if (args.node_json) {
    // Sent back as they came, without parsing them again.
    std::vector<std::string_view> items;
    for (const std::string& name : result.node_names) {
      const auto found = args.node_json->find(name);
      if (found != args.node_json->end()) items.push_back(found->second);
    }
    nodes = fmt::format(R"({{"items":[{}]}})", fmt::join(items, ","));
  } else {
    names = json::serialize(json::array(result.node_names.begin(), result.node_names.end()));
  }
  return fmt::format(
      R"({{"NodeNames":{},"Nodes":{},"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":{}}})",
      names, nodes, reasons(result.failed), reasons(result.failed_and_unresolvable),
      json::serialize(json::string(result.error)));
}

std::string HostPriorityListJson(const std::vector<std::pair<std::string, std::int64_t>>& scores) {
  boost::json::array list;
  for (const auto& [host, score] : scores) list.push_back({{"Host", host}, {"Score", score}});
  return boost::json::serialize(list);
}

}  // namespace leadline

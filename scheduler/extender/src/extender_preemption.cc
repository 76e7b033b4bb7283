// The verb "preempt": k8s.io/kube-scheduler/extender/v1, ExtenderPreemptionArgs and -Result.
#include <boost/json.hpp>

#include "extender_json.h"

namespace leadline {
namespace {

Result<void> ReadWholePod(od::value value, ExtenderVictims* victims) {
  Pod pod;
  if (const auto read = ReadPod(value, &pod); !read) return read.error();
  victims->uids.push_back(pod.metadata.uid);
  return {};
}

Result<void> ReadMetaPod(od::value value, ExtenderVictims* victims) {
  od::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return Wrong("Pods", "objects");
  return ReadMembers(object, "Pods", [&](std::string_view key, od::value member) -> Result<void> {
    std::string_view uid;
    if (!Is(key, "UID")) return {};
    if (member.get_string().get(uid) != simdjson::SUCCESS) return Wrong("UID", "a text");
    victims->uids.emplace_back(uid);
    return {};
  });
}

Result<void> ReadVictims(od::value value, bool whole, ExtenderVictims* victims) {
  od::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return Wrong("victims", "an object");
  return ReadMembers(
      object, "victims", [&](std::string_view key, od::value member) -> Result<void> {
        if (Is(key, "NumPDBViolations")) {
          if (member.get_int64().get(victims->pdb_violations) != simdjson::SUCCESS) {
            return Wrong(key, "a number");
          }
          return {};
        }
        if (!Is(key, "Pods")) return {};
        od::array pods;
        if (member.get_array().get(pods) != simdjson::SUCCESS) return Wrong(key, "a list");
        for (auto element : pods) {
          od::value pod;
          if (element.get(pod) != simdjson::SUCCESS) return Wrong(key, "a list");
          const auto read = whole ? ReadWholePod(pod, victims) : ReadMetaPod(pod, victims);
          if (!read) return read.error();
        }
        return {};
      });
}

Result<void> ReadVictimsMap(od::value value, bool whole, ExtenderVictimsMap* victims) {
  od::object nodes;
  if (value.get_object().get(nodes) != simdjson::SUCCESS) {
    return Wrong("NodeNameToMetaVictims", "an object of victims by node");
  }
  return ReadMembers(nodes, "victims", [&](std::string_view node, od::value member) {
    return ReadVictims(member, whole, &(*victims)[std::string(node)]);
  });
}

}  // namespace

Result<ExtenderPreemptionArgs> ParseExtenderPreemptionArgs(std::string_view text) {
  ExtenderPreemptionArgs args;
  ExtenderVictimsMap by_pods;
  bool has_pod = false, has_uids = false, has_pods = false;
  const auto read =
      ReadBody(text, "a JSON object with Pod and NodeNameToMetaVictims or NodeNameToVictims",
               [&](std::string_view key, od::value value) -> Result<void> {
                 if (Is(key, "Pod")) {
                   has_pod = true;
                   return ReadPod(value, &args.pod);
                 }
                 if (Is(key, "NodeNameToMetaVictims")) {
                   has_uids = true;
                   return ReadVictimsMap(value, false, &args.victims);
                 }
                 if (!Is(key, "NodeNameToVictims")) return {};
                 has_pods = true;
                 return ReadVictimsMap(value, true, &by_pods);
               });
  if (!read) return read.error();
  if (!has_pod) return Wrong("Pod", "to be present");
  if (!has_uids && !has_pods) {
    return Wrong("NodeNameToMetaVictims", "to be present (or NodeNameToVictims)");
  }
  args.whole_pods = !has_uids;
  if (args.whole_pods) args.victims = std::move(by_pods);
  return args;
}

std::string ToJson(const ExtenderVictimsMap& victims) {
  boost::json::object nodes;
  for (const auto& [name, of_node] : victims) {
    boost::json::array pods;
    for (const std::string& uid : of_node.uids) pods.push_back(boost::json::object{{"UID", uid}});
    nodes[name] = {{"Pods", std::move(pods)}, {"NumPDBViolations", of_node.pdb_violations}};
  }
  return boost::json::serialize(boost::json::object{{"NodeNameToMetaVictims", std::move(nodes)}});
}

}  // namespace leadline

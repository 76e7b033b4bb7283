#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void ReadNodeAffinity(JsonReader& reader, Value value, NodeAffinity* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == kRequired && !reader.IsNull(item)) {
      auto& terms = out->required.emplace();
      reader.Members(item, [&](std::string_view part, Value list) {
        if (part != "nodeSelectorTerms") return;
        reader.Items(
            list, [&](Value term) { ReadNodeSelectorTerm(reader, term, &terms.emplace_back()); });
      });
    }
    if (key == kPreferred) {
      reader.Items(item, [&](Value preferred) {
        PreferredSchedulingTerm& term = out->preferred.emplace_back();
        reader.Members(preferred, [&](std::string_view part, Value content) {
          if (part == "weight") term.weight = reader.Integer(content);
          if (part == "preference") ReadNodeSelectorTerm(reader, content, &term.term);
        });
      });
    }
  });
}

void ReadPodAffinityTerm(JsonReader& reader, Value value, PodAffinityTerm* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "labelSelector") ReadLabelSelector(reader, item, &out->label_selector);
    if (key == "namespaces") out->namespaces = reader.Texts(item);
    if (key == "namespaceSelector") ReadLabelSelector(reader, item, &out->namespace_selector);
    if (key == "topologyKey") out->topology_key = reader.Text(item);
  });
}

void ReadPodAffinity(JsonReader& reader, Value value, PodAffinity* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == kRequired) {
      reader.Items(item, [&](Value term) {
        ReadPodAffinityTerm(reader, term, &out->required.emplace_back());
      });
    }
    if (key == kPreferred) {
      reader.Items(item, [&](Value preferred) {
        WeightedPodAffinityTerm& term = out->preferred.emplace_back();
        reader.Members(preferred, [&](std::string_view part, Value content) {
          if (part == "weight") term.weight = reader.Integer(content);
          if (part == "podAffinityTerm") ReadPodAffinityTerm(reader, content, &term.term);
        });
      });
    }
  });
}

}  // namespace

void ReadAffinity(JsonReader& reader, Value value, PodSpec* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "nodeAffinity") ReadNodeAffinity(reader, item, &out->node_affinity);
    if (key == "podAffinity") ReadPodAffinity(reader, item, &out->pod_affinity);
    if (key == "podAntiAffinity") ReadPodAffinity(reader, item, &out->pod_anti_affinity);
  });
}

void ReadSpreadConstraint(JsonReader& reader, Value value, TopologySpreadConstraint* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "maxSkew") out->max_skew = reader.Integer(item);
    if (key == "topologyKey") out->topology_key = reader.Text(item);
    if (key == "whenUnsatisfiable") out->do_not_schedule = reader.View(item) != "ScheduleAnyway";
    if (key == "labelSelector") ReadLabelSelector(reader, item, &out->label_selector);
    if (key == "minDomains" && !reader.IsNull(item)) out->min_domains = reader.Integer(item);
    if (key == "nodeAffinityPolicy") out->node_affinity_policy = reader.Text(item);
    if (key == "nodeTaintsPolicy") out->node_taints_policy = reader.Text(item);
    if (key == "matchLabelKeys") out->match_label_keys = reader.Texts(item);
  });
}

}  // namespace leadline

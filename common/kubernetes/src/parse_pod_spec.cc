#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadToleration(JsonReader& reader, Value value, Toleration* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "key") out->key = reader.Text(item);
    if (key == "operator") out->op = reader.Text(item);
    if (key == "value") out->value = reader.Text(item);
    if (key == "effect") out->effect = reader.Text(item);
  });
}

void ReadGates(JsonReader& reader, Value value, std::vector<std::string>* out) {
  reader.Items(value, [&](Value gate) {
    reader.Members(gate, [&](std::string_view key, Value item) {
      if (key == "name") out->push_back(reader.Text(item));
    });
  });
}

void ReadPodResources(JsonReader& reader, Value value, PodSpec* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "requests" && !reader.IsNull(item)) out->pod_requests = reader.Resources(item);
    if (key == "limits") out->pod_limits = reader.Resources(item);
  });
}

std::string ReadSchedulingGroup(JsonReader& reader, Value value) {
  if (reader.IsNull(value)) return {};
  std::string group = "(unnamed)";  // some form of group that we do not know
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "podGroupName") group = reader.Text(item);
  });
  return group;
}

// The lists of the spec; false when the key is none of them.
bool ReadList(JsonReader& reader, std::string_view key, Value value, PodSpec* out) {
  if (key == "tolerations") {
    reader.Items(
        value, [&](Value item) { ReadToleration(reader, item, &out->tolerations.emplace_back()); });
  } else if (key == "schedulingGates") {
    ReadGates(reader, value, &out->scheduling_gates);
  } else if (key == "topologySpreadConstraints") {
    reader.Items(value, [&](Value item) {
      ReadSpreadConstraint(reader, item, &out->spread_constraints.emplace_back());
    });
  } else if (key == "containers") {
    reader.Items(value,
                 [&](Value item) { ReadContainer(reader, item, &out->containers.emplace_back()); });
  } else if (key == "initContainers") {
    reader.Items(value, [&](Value item) {
      ReadContainer(reader, item, &out->init_containers.emplace_back());
    });
  } else if (key == "volumes") {
    reader.Items(value,
                 [&](Value item) { ReadVolume(reader, item, &out->volumes.emplace_back()); });
  } else if (key == "resourceClaims") {
    reader.Items(value, [&](Value) { ++out->resource_claims; });
  } else {
    return false;
  }
  return true;
}

}  // namespace

void ReadPodSpec(JsonReader& reader, Value value, PodSpec* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (ReadList(reader, key, item, out)) return;
    if (key == "schedulerName") {
      out->scheduler_name = reader.Text(item);
    } else if (key == "nodeName") {
      out->node_name = reader.Text(item);
    } else if (key == "priority") {
      if (!reader.IsNull(item)) out->priority = reader.Integer(item);
    } else if (key == "preemptionPolicy") {
      out->preemption_policy = reader.Text(item);
    } else if (key == "nodeSelector") {
      out->node_selector = reader.Map(item);
    } else if (key == "affinity") {
      ReadAffinity(reader, item, out);
    } else if (key == "overhead") {
      out->overhead = reader.Resources(item);
    } else if (key == "resources") {
      ReadPodResources(reader, item, out);
    } else if (key == "schedulingGroup") {
      out->workload = ReadSchedulingGroup(reader, item);
    } else if (key == "hostNetwork") {
      out->host_network = reader.Boolean(item);
    } else if (key == "hostUsers") {
      if (!reader.IsNull(item)) out->host_users = reader.Boolean(item);
    }
  });
}

}  // namespace leadline

#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadOptionalResources(JsonReader& reader, Value value, std::optional<ResourceList>* out) {
  if (!reader.IsNull(value)) *out = reader.Resources(value);
}

// `resources` of a container status or of the Pod's status: only its requests matter.
void ReadInForce(JsonReader& reader, Value value, std::optional<ResourceList>* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "requests") ReadOptionalResources(reader, item, out);
  });
}

void ReadContainerStatuses(JsonReader& reader, Value value,
                           std::vector<ContainerResourcesStatus>* out, int* restarts) {
  reader.Items(value, [&](Value status) {
    ContainerResourcesStatus& container = out->emplace_back();
    reader.Members(status, [&](std::string_view key, Value item) {
      if (key == "name") container.name = reader.Text(item);
      if (key == "allocatedResources") ReadOptionalResources(reader, item, &container.allocated);
      if (key == "resources") ReadInForce(reader, item, &container.in_force);
      if (key == "restartCount") *restarts += reader.Integer(item);
    });
  });
}

void ReadCondition(JsonReader& reader, Value value, PodCondition* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "type") out->type = reader.Text(item);
    if (key == "status") out->status = reader.Text(item);
    if (key == "reason") out->reason = reader.Text(item);
    if (key == "message") out->message = reader.Text(item);
    if (key == "lastTransitionTime") out->last_transition = reader.Time(item);
  });
}

void ReadPodIps(JsonReader& reader, Value value, std::vector<std::string>* out) {
  reader.Items(value, [&](Value entry) {
    reader.Members(entry, [&](std::string_view key, Value item) {
      if (key == "ip") out->push_back(reader.Text(item));
    });
  });
}

}  // namespace

void ReadPodStatus(JsonReader& reader, Value value, PodStatus* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "phase") {
      out->phase = reader.Text(item);
    } else if (key == "reason") {
      out->reason = reader.Text(item);
    } else if (key == "message") {
      out->message = reader.Text(item);
    } else if (key == "nominatedNodeName") {
      out->nominated_node_name = reader.Text(item);
    } else if (key == "startTime") {
      if (!reader.IsNull(item)) out->start_time = reader.Time(item);
    } else if (key == "conditions") {
      reader.Items(item, [&](Value condition) {
        ReadCondition(reader, condition, &out->conditions.emplace_back());
      });
    } else if (key == "podIPs") {
      ReadPodIps(reader, item, &out->pod_ips);
    } else if (key == "containerStatuses") {
      ReadContainerStatuses(reader, item, &out->containers, &out->restarts);
    } else if (key == "initContainerStatuses") {
      ReadContainerStatuses(reader, item, &out->init_containers, &out->restarts);
    } else if (key == "allocatedResources") {
      ReadOptionalResources(reader, item, &out->allocated);
    } else if (key == "resources") {
      out->has_resources = !reader.IsNull(item);
      ReadInForce(reader, item, &out->in_force);
    }
  });
}

}  // namespace leadline

#include "json_reader.h"
#include "leadline/kubernetes/storage.h"
#include "parse_object.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadDriver(JsonReader& reader, Value value, CsiNode::Driver* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "name") out->name = reader.Text(item);
    if (key != "allocatable") return;
    reader.Members(item, [&](std::string_view part, Value count) {
      if (part == "count" && !reader.IsNull(count)) out->allocatable = reader.Integer(count);
    });
  });
}

void ReadTopologyTerm(JsonReader& reader, Value value, std::vector<Requirement>* out) {
  reader.Members(value, [&](std::string_view part, Value list) {
    if (part != "matchLabelExpressions") return;
    reader.Items(list, [&](Value item) {
      Requirement& requirement = out->emplace_back();
      requirement.op = Requirement::Operator::kIn;
      reader.Members(item, [&](std::string_view key, Value field) {
        if (key == "key") requirement.key = reader.Text(field);
        if (key == "values") requirement.values = reader.Texts(field);
      });
    });
  });
}

}  // namespace

Result<StorageClass> ParseStorageClass(std::string_view json) {
  return ParseObject<StorageClass>(
      json, "StorageClass",
      [](JsonReader& reader, std::string_view key, Value value, StorageClass* out) {
        if (key == "provisioner") out->provisioner = reader.Text(value);
        if (key == "volumeBindingMode") {
          out->wait_for_first_consumer = reader.View(value) == "WaitForFirstConsumer";
        }
        if (key != "allowedTopologies") return;
        reader.Items(value, [&](Value term) {
          ReadTopologyTerm(reader, term, &out->allowed_topologies.emplace_back());
        });
      });
}

Result<CsiNode> ParseCsiNode(std::string_view json) {
  return ParseSpec<CsiNode>(
      json, "CSINode", [](JsonReader& reader, std::string_view key, Value value, CsiNode* out) {
        if (key != "drivers") return;
        reader.Items(value,
                     [&](Value item) { ReadDriver(reader, item, &out->drivers.emplace_back()); });
      });
}

Result<CsiDriver> ParseCsiDriver(std::string_view json) {
  return ParseSpec<CsiDriver>(
      json, "CSIDriver", [](JsonReader& reader, std::string_view key, Value value, CsiDriver* out) {
        if (key == "preventPodSchedulingIfMissing") {
          out->prevent_scheduling_if_missing = reader.Boolean(value);
        }
        if (key == "storageCapacity") out->storage_capacity = reader.Boolean(value);
      });
}

Result<CsiStorageCapacity> ParseCsiStorageCapacity(std::string_view json) {
  return ParseObject<CsiStorageCapacity>(
      json, "CSIStorageCapacity",
      [](JsonReader& reader, std::string_view key, Value value, CsiStorageCapacity* out) {
        if (reader.IsNull(value)) return;
        if (key == "storageClassName") out->storage_class = reader.Text(value);
        if (key == "nodeTopology") ReadLabelSelector(reader, value, &out->node_topology);
        if (key == "capacity") out->capacity = reader.Amount(value);
        if (key == "maximumVolumeSize") out->maximum_volume_size = reader.Amount(value);
      });
}

Result<VolumeAttachment> ParseVolumeAttachment(std::string_view json) {
  return ParseSpec<VolumeAttachment>(
      json, "VolumeAttachment",
      [](JsonReader& reader, std::string_view key, Value value, VolumeAttachment* out) {
        if (key == "attacher") out->attacher = reader.Text(value);
        if (key == "nodeName") out->node_name = reader.Text(value);
        if (key != "source") return;
        reader.Members(value, [&](std::string_view part, Value item) {
          if (part == "persistentVolumeName") out->volume_name = reader.Text(item);
        });
      });
}

}  // namespace leadline

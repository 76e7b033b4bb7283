#include <algorithm>

#include "json_reader.h"
#include "leadline/kubernetes/storage.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

// An object whose members are `metadata` and what `read(reader, key, value)` takes.
template <typename T, typename Read>
Result<T> ParseObject(std::string_view json, std::string_view kind, Read read) {
  T out;
  const auto done =
      ReadObject(json, kind, [&](JsonReader& reader, std::string_view key, Value value) {
        if (key == "metadata") return ReadMetadata(reader, value, &out.metadata);
        read(reader, key, value, &out);
      });
  if (!done) return done.error();
  return out;
}

// The same of `spec`.
template <typename T, typename Read>
Result<T> ParseSpec(std::string_view json, std::string_view kind, Read read) {
  return ParseObject<T>(
      json, kind, [&](JsonReader& reader, std::string_view key, Value value, T* out) {
        if (key != "spec") return;
        reader.Members(value,
                       [&](std::string_view field, Value item) { read(reader, field, item, out); });
      });
}

void ReadDriver(JsonReader& reader, Value value, CsiNode::Driver* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "name") out->name = reader.Text(item);
    if (key != "allocatable") return;
    reader.Members(item, [&](std::string_view part, Value count) {
      if (part == "count" && !reader.IsNull(count)) out->allocatable = reader.Integer(count);
    });
  });
}

}  // namespace

const std::string& PersistentVolumeClaim::Class() const {
  const auto old = metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  return old == metadata.annotations.end() ? storage_class : old->second;
}

const CsiNode::Driver* CsiNode::FindDriver(std::string_view name) const {
  const auto found = std::find_if(drivers.begin(), drivers.end(),
                                  [name](const Driver& driver) { return driver.name == name; });
  return found == drivers.end() ? nullptr : &*found;
}

Result<PersistentVolumeClaim> ParsePersistentVolumeClaim(std::string_view json) {
  return ParseSpec<PersistentVolumeClaim>(
      json, "PersistentVolumeClaim",
      [](JsonReader& reader, std::string_view key, Value value, PersistentVolumeClaim* out) {
        if (key == "volumeName") out->volume_name = reader.Text(value);
        if (key == "storageClassName") out->storage_class = reader.Text(value);
        if (key == "accessModes") out->access_modes = reader.Texts(value);
      });
}

Result<PersistentVolume> ParsePersistentVolume(std::string_view json) {
  return ParseSpec<PersistentVolume>(
      json, "PersistentVolume",
      [](JsonReader& reader, std::string_view key, Value value, PersistentVolume* out) {
        if (reader.IsNull(value)) return;
        if (auto disk = ReadDisk(reader, key, value)) {
          out->kind = key;
          out->source = std::move(*disk);
        }
        if (key != "csi") return;
        out->kind = key;
        reader.Members(value, [&](std::string_view part, Value item) {
          if (part == "driver") out->csi_driver = reader.Text(item);
          if (part == "volumeHandle") out->csi_handle = reader.Text(item);
        });
      });
}

Result<StorageClass> ParseStorageClass(std::string_view json) {
  return ParseObject<StorageClass>(
      json, "StorageClass",
      [](JsonReader& reader, std::string_view key, Value value, StorageClass* out) {
        if (key == "provisioner") out->provisioner = reader.Text(value);
        if (key == "volumeBindingMode") {
          out->wait_for_first_consumer = reader.View(value) == "WaitForFirstConsumer";
        }
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
        if (key != "preventPodSchedulingIfMissing" || reader.IsNull(value)) return;
        out->prevent_scheduling_if_missing = reader.Boolean(value);
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

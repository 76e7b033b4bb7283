// Claims and the volumes that they are bound to.
#include "json_reader.h"
#include "leadline/kubernetes/storage.h"
#include "parse_object.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

std::optional<Quantity> ReadStorage(JsonReader& reader, Value resources) {
  std::optional<Quantity> storage;
  reader.Members(resources, [&](std::string_view name, Value amount) {
    if (name == "storage" && !reader.IsNull(amount)) storage = reader.Amount(amount);
  });
  return storage;
}

void ReadClaimSpec(JsonReader& reader, std::string_view key, Value value,
                   PersistentVolumeClaim* out) {
  if (key == "volumeName") out->volume_name = reader.Text(value);
  if (key == "storageClassName") out->storage_class = reader.Text(value);
  if (key == "accessModes") out->access_modes = reader.Texts(value);
  if (key == "volumeMode") out->block = reader.View(value) == "Block";
  if (key == "selector") ReadLabelSelector(reader, value, &out->selector);
  if (key == "volumeAttributesClassName") out->attributes_class = reader.Text(value);
  if (key != "resources") return;
  reader.Members(value, [&](std::string_view part, Value list) {
    if (part == "requests") out->storage = ReadStorage(reader, list);
  });
}

// False when the key is none of the source's.
bool ReadSource(JsonReader& reader, std::string_view key, Value value, PersistentVolume* out) {
  if (auto disk = ReadDisk(reader, key, value)) {
    out->kind = key;
    out->source = std::move(*disk);
    return true;
  }
  if (key != "csi") return false;
  out->kind = key;
  reader.Members(value, [&](std::string_view part, Value item) {
    if (part == "driver") out->csi_driver = reader.Text(item);
    if (part == "volumeHandle") out->csi_handle = reader.Text(item);
  });
  return true;
}

void ReadNodeAffinity(JsonReader& reader, Value value, PersistentVolume* out) {
  reader.Members(value, [&](std::string_view key, Value required) {
    if (key != "required" || reader.IsNull(required)) return;
    auto& terms = out->node_affinity.emplace();
    reader.Members(required, [&](std::string_view part, Value list) {
      if (part != "nodeSelectorTerms") return;
      reader.Items(list,
                   [&](Value term) { ReadNodeSelectorTerm(reader, term, &terms.emplace_back()); });
    });
  });
}

void ReadClaimReference(JsonReader& reader, Value value, ClaimReference* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "namespace") out->namespace_name = reader.Text(item);
    if (key == "name") out->name = reader.Text(item);
    if (key == "uid") out->uid = reader.Text(item);
  });
}

void ReadVolumeSpec(JsonReader& reader, std::string_view key, Value value, PersistentVolume* out) {
  if (reader.IsNull(value) || ReadSource(reader, key, value, out)) return;
  if (key == "storageClassName") {
    out->storage_class = reader.Text(value);
  } else if (key == "capacity") {
    out->capacity = ReadStorage(reader, value).value_or(Quantity());
  } else if (key == "accessModes") {
    out->access_modes = reader.Texts(value);
  } else if (key == "volumeMode") {
    out->block = reader.View(value) == "Block";
  } else if (key == "volumeAttributesClassName") {
    out->attributes_class = reader.Text(value);
  } else if (key == "claimRef") {
    ReadClaimReference(reader, value, &out->claim.emplace());
  } else if (key == "nodeAffinity") {
    ReadNodeAffinity(reader, value, out);
  }
}

// `read(key, value)` for each member of an object's spec, `phase` for its status.phase.
template <typename Read>
void ReadParts(JsonReader& reader, std::string_view key, Value value, std::string* phase,
               Read read) {
  if (key == "spec") reader.Members(value, read);
  if (key != "status") return;
  reader.Members(value, [&](std::string_view part, Value item) {
    if (part == "phase") *phase = reader.Text(item);
  });
}

}  // namespace

Result<PersistentVolumeClaim> ParsePersistentVolumeClaim(std::string_view json) {
  std::string phase;
  auto claim = ParseObject<PersistentVolumeClaim>(
      json, "PersistentVolumeClaim",
      [&](JsonReader& reader, std::string_view key, Value value, PersistentVolumeClaim* out) {
        ReadParts(reader, key, value, &phase, [&](std::string_view field, Value item) {
          ReadClaimSpec(reader, field, item, out);
        });
      });
  if (claim) claim->lost = phase == "Lost";
  return claim;
}

Result<PersistentVolume> ParsePersistentVolume(std::string_view json) {
  std::string phase;
  auto volume = ParseObject<PersistentVolume>(
      json, "PersistentVolume",
      [&](JsonReader& reader, std::string_view key, Value value, PersistentVolume* out) {
        ReadParts(reader, key, value, &phase, [&](std::string_view field, Value item) {
          ReadVolumeSpec(reader, field, item, out);
        });
      });
  if (!volume) return volume;
  volume->available = phase == "Available";
  const auto old = volume->metadata.annotations.find(kStorageClassAnnotation);
  if (old != volume->metadata.annotations.end()) volume->storage_class = old->second;
  return volume;
}

}  // namespace leadline

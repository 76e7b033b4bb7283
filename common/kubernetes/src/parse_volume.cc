// The volumes of Pods and the sources of PersistentVolumes.
#include <algorithm>
#include <array>

#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

// What identifies a disk, by the kind of the source.
struct Identity {
  std::string_view kind;
  std::string_view field;
};
constexpr std::array<Identity, 9> kDisks = {{
    {"awsElasticBlockStore", "volumeID"},
    {"azureDisk", "diskURI"},
    {"azureFile", "shareName"},
    {"cinder", "volumeID"},
    {"gcePersistentDisk", "pdName"},
    {"iscsi", "iqn"},
    {"portworxVolume", "volumeID"},
    {"rbd", "image"},
    {"vsphereVolume", "volumePath"},
}};

}  // namespace

std::optional<DiskSource> ReadDisk(JsonReader& reader, std::string_view kind, Value value) {
  const auto disk = std::find_if(kDisks.begin(), kDisks.end(),
                                 [kind](const Identity& one) { return one.kind == kind; });
  if (disk == kDisks.end()) return {};
  DiskSource out;
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == disk->field) {
      out.id = reader.Text(item);
    } else if (key == "readOnly") {
      out.read_only = reader.Boolean(item);
    } else if (kind == "azureDisk" && key == "kind") {
      out.azure_kind = reader.Text(item);
    } else if (kind == "rbd" && key == "pool") {
      out.pool = reader.Text(item);
    } else if (kind == "rbd" && key == "monitors") {
      out.monitors = reader.Texts(item);
    }
  });
  return out;
}

void ReadVolume(JsonReader& reader, Value value, Volume* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "name") {
      out->name = reader.Text(item);
    } else if (!reader.IsNull(item)) {
      out->kind = key;
      if (auto disk = ReadDisk(reader, key, item)) {
        out->disk = std::make_shared<const DiskSource>(std::move(*disk));
      }
      if (key != "persistentVolumeClaim" && key != "image") return;
      reader.Members(item, [&](std::string_view part, Value content) {
        if (part == "claimName") out->claim_name = reader.Text(content);
        if (part == "reference") out->image_reference = reader.Text(content);
      });
    }
  });
}

}  // namespace leadline

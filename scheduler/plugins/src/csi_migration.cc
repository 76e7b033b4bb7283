#include "csi_migration.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace leadline {
namespace {

struct Migration {
  std::string_view kind;  // the field that names the volume in the API
  std::string_view provisioner;
  std::string_view driver;  // empty: nodes count no such volumes
  std::string_view zone;    // the driver's label of a node; empty: it has none
};
constexpr std::array<Migration, 7> kMigrations = {{
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone"},
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone"},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", ""},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", ""},
    {"azureFile", "kubernetes.io/azure-file", "", ""},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "", ""},
}};

const Migration* Find(std::string_view Migration::*field, std::string_view value) {
  const auto found = std::find_if(kMigrations.begin(), kMigrations.end(),
                                  [&](const Migration& one) { return one.*field == value; });
  return found == kMigrations.end() ? nullptr : &*found;
}

Error Wrong(std::string text) { return Error(ErrorCode::kInvalidArgument, std::move(text)); }

std::string_view TrimSlashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

// "vol-1", or "aws://zone/vol-1".
Result<std::string> EbsHandle(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return id;
  std::string_view path = std::string_view(id).substr(kScheme.size());
  path = path.substr(std::min(path.find('/'), path.size()));
  path = TrimSlashes(path.substr(0, path.find_first_of("?#")));
  if (!path.starts_with("vol-") || path.find('/') != std::string_view::npos) {
    return Wrong(
        fmt::format("failed to translate Kubernetes ID to EBS Volume ID Invalid format "
                    "for AWS volume ({})",
                    id));
  }
  return std::string(path);
}

Result<std::string> AzureHandle(const DiskSource& source) {
  std::string kind = source.azure_kind;
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!kind.empty() && kind != "managed") {
    return Wrong(fmt::format("kind({}) is not supported in csi migration", source.azure_kind));
  }
  return source.id;
}

// The region of "us-central1-a", if all zones are of one.
Result<std::string> GceRegion(const std::vector<std::string_view>& zones) {
  std::string_view region;
  for (const std::string_view zone : zones) {
    const auto last = zone.rfind('-');
    if (std::count(zone.begin(), zone.end(), '-') != 2) {
      return Wrong(
          fmt::format("zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}"
                      ", got: {}",
                      zone));
    }
    if (!region.empty() && region != zone.substr(0, last)) {
      return Wrong("multiple or no regions gotten from zones");
    }
    region = zone.substr(0, last);
  }
  return std::string(region);
}

std::string GceHandle(std::string_view where, std::string_view disk) {
  return fmt::format("projects/UNSPECIFIED/{}/disks/{}", where, disk);
}

constexpr std::string_view kGceUnknown = "zones/UNSPECIFIED";

std::vector<std::string_view> Split(std::string_view text, std::string_view delimiter) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(delimiter); end != std::string_view::npos; end = text.find(delimiter)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  parts.push_back(text);
  return parts;
}

// By the zone labels of the volume; two zones or more make it a regional disk.
Result<std::string> GceHandle(const PersistentVolume& volume) {
  std::string_view label;
  for (const std::string_view key :
       {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"}) {
    const auto found = volume.metadata.labels.find(key);
    if (label.empty() && found != volume.metadata.labels.end()) label = found->second;
  }
  const std::string& disk = volume.source.id;
  if (label.empty()) return GceHandle(kGceUnknown, disk);
  const auto zones = Split(label, "__");
  if (zones.size() == 1) return GceHandle(fmt::format("zones/{}", label), disk);
  const Result<std::string> region = GceRegion(zones);
  if (!region) return region.error().WithContext("failed to get region from zones");
  return GceHandle("regions/" + *region, disk);
}

// What Pods and PersistentVolumes have in common.
Result<CsiVolume> Translate(std::string_view kind, const DiskSource& source,
                            Result<std::string> gce_handle) {
  Result<std::string> handle = source.id;
  if (kind == "awsElasticBlockStore") handle = EbsHandle(source.id);
  if (kind == "azureDisk") handle = AzureHandle(source);
  if (kind == "gcePersistentDisk") handle = std::move(gce_handle);
  if (!handle) return handle.error();
  return CsiVolume{std::string(CountedDriverOfKind(kind)), std::move(*handle)};
}

using Terms = std::optional<std::vector<NodeSelectorTerm>>;

struct TopologyLabels {
  std::string_view zone, region;
};
constexpr std::array<TopologyLabels, 2> kTopologyLabels = {{
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"},
    {"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"},
}};

template <typename Condition>
bool AnyExpression(const Terms& terms, Condition condition) {
  return terms && std::any_of(terms->begin(), terms->end(), [&](const NodeSelectorTerm& term) {
           return std::any_of(term.match_expressions.begin(), term.match_expressions.end(),
                              condition);
         });
}

bool HasValues(const Terms& terms, std::string_view key) {
  return AnyExpression(
      terms, [key](const Requirement& one) { return one.key == key && !one.values.empty(); });
}

// The generation of labels that the volume speaks in: its affinity counts first, then its labels.
const TopologyLabels& TopologyLabelsOf(const PersistentVolume& volume) {
  for (const TopologyLabels& labels : kTopologyLabels) {
    if (AnyExpression(volume.node_affinity,
                      [&](const Requirement& one) { return one.key == labels.zone; })) {
      return labels;
    }
  }
  for (const TopologyLabels& labels : kTopologyLabels) {
    if (volume.metadata.labels.count(labels.zone) != 0) return labels;
  }
  return kTopologyLabels[0];
}

void Rename(std::string_view from, std::string_view to, std::vector<NodeSelectorTerm>* terms) {
  for (NodeSelectorTerm& term : *terms) {
    for (Requirement& one : term.match_expressions) {
      if (one.key == from) one.key = to;
    }
  }
}

// Every term asks also for one of the zones in the volume's label, if that names any.
void AddZones(const PersistentVolume& volume, std::string_view label, std::string_view key,
              Terms* terms) {
  const auto found = volume.metadata.labels.find(label);
  if (found == volume.metadata.labels.end()) return;
  Requirement zones{std::string(key), Requirement::Operator::kIn, {}};
  for (std::string_view zone : Split(found->second, "__")) {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    const auto first = zone.find_first_not_of(kSpace);
    if (first == std::string_view::npos) continue;
    zones.values.emplace_back(zone.substr(first, zone.find_last_not_of(kSpace) - first + 1));
  }
  if (zones.values.empty()) return;
  if (!*terms || (*terms)->empty()) *terms = std::vector<NodeSelectorTerm>(1);
  for (NodeSelectorTerm& term : **terms) term.match_expressions.push_back(zones);
}

}  // namespace

bool IsMigrated(const Volume& volume) { return Find(&Migration::kind, volume.kind) != nullptr; }

std::string_view CountedDriverOfKind(std::string_view kind) {
  const Migration* found = Find(&Migration::kind, kind);
  return found == nullptr ? std::string_view() : found->driver;
}

std::string_view CountedDriverOfProvisioner(std::string_view provisioner) {
  const Migration* found = Find(&Migration::provisioner, provisioner);
  return found == nullptr ? std::string_view() : found->driver;
}

bool IsMigratedProvisioner(std::string_view provisioner) {
  return Find(&Migration::provisioner, provisioner) != nullptr;
}

std::string_view MigratedPluginOfKind(std::string_view kind) {
  const Migration* found = Find(&Migration::kind, kind);
  return found == nullptr || found->driver.empty() ? std::string_view() : found->provisioner;
}

Result<CsiVolume> TranslateInline(const Volume& volume) {
  return Translate(volume.kind, *volume.disk, GceHandle(kGceUnknown, volume.disk->id));
}

Result<CsiVolume> TranslateVolume(const PersistentVolume& volume) {
  return Translate(volume.kind, volume.source, GceHandle(volume));
}

Result<Terms> TranslateAffinity(const PersistentVolume& volume) {
  if (const auto translated = TranslateVolume(volume); !translated) return translated.error();
  const Migration* migration = Find(&Migration::kind, volume.kind);
  Terms terms = volume.node_affinity;
  if (migration->zone.empty()) return terms;
  const auto& [zone, region] = TopologyLabelsOf(volume);
  if (HasValues(terms, zone)) {
    Rename(zone, migration->zone, &*terms);
  } else {
    AddZones(volume, zone, migration->zone, &terms);
  }
  // A newer node has only the newer label.
  if (region != kTopologyLabels[0].region && HasValues(terms, region)) {
    Rename(region, kTopologyLabels[0].region, &*terms);
  }
  return terms;
}

}  // namespace leadline

#include "leadline/kubernetes/lease.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "json_reader.h"

namespace leadline {
namespace {

constexpr int kMicroseconds = 6;  // digits of a MicroTime

void ReadSpec(JsonReader& reader, JsonReader::Value value, Lease* out) {
  reader.Members(value, [&](std::string_view key, JsonReader::Value item) {
    if (reader.IsNull(item)) return;
    if (key == "holderIdentity") out->holder = reader.Text(item);
    if (key == "leaseDurationSeconds") out->duration = std::chrono::seconds(reader.Integer(item));
    if (key == "acquireTime") out->acquired = reader.Time(item);
    if (key == "renewTime") out->renewed = reader.Time(item);
    if (key == "leaseTransitions") out->transitions = reader.Integer(item);
  });
}

}  // namespace

Result<Lease> ParseLease(std::string_view json) {
  Lease lease;
  const auto done = ReadObject(
      json, "Lease", [&lease](JsonReader& reader, std::string_view key, JsonReader::Value value) {
        if (key == "metadata") ReadMetadata(reader, value, &lease.metadata);
        if (key == "spec") ReadSpec(reader, value, &lease);
      });
  if (!done) return done.error();
  return lease;
}

std::string ToJson(const Lease& lease) {
  namespace json = boost::json;
  json::object metadata{{"name", lease.metadata.name},
                        {"namespace", lease.metadata.namespace_name}};
  if (!lease.metadata.resource_version.empty()) {
    metadata["resourceVersion"] = lease.metadata.resource_version;
  }
  const json::object spec{{"holderIdentity", lease.holder},
                          {"leaseDurationSeconds", lease.duration.count()},
                          {"acquireTime", FormatRfc3339(lease.acquired, kMicroseconds)},
                          {"renewTime", FormatRfc3339(lease.renewed, kMicroseconds)},
                          {"leaseTransitions", lease.transitions}};
  return json::serialize(json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                      {"kind", "Lease"},
                                      {"metadata", metadata},
                                      {"spec", spec}});
}

}  // namespace leadline

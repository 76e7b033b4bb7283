#include "leadline/core/api_volume_writer.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace leadline {
namespace {

namespace json = boost::json;

json::object Metadata(const ObjectMeta& object, json::object annotations) {
  json::object metadata{{"uid", object.uid}, {"resourceVersion", object.resource_version}};
  if (!annotations.empty()) metadata.emplace("annotations", std::move(annotations));
  return metadata;
}

// The version that the answer has.
template <typename T>
ApiClient::Handler Told(VolumeWriter::Done done, Result<T> (*parse)(std::string_view)) {
  return [done = std::move(done), parse](const ApiResult<ApiResponse>& answer) {
    if (!answer) return done(answer.error().ToError());
    const Result<T> written = parse(answer->body);
    if (!written) return done(written.error().WithContext("reading what was written"));
    done(written->metadata.resource_version);
  };
}

}  // namespace

void ApiVolumeWriter::KeepVolume(const PersistentVolume& volume, const PersistentVolumeClaim& claim,
                                 Done done) {
  const ObjectMeta& of = claim.metadata;
  json::object annotations;
  const auto mark = volume.metadata.annotations.find(kBoundByControllerAnnotation);
  if (mark != volume.metadata.annotations.end()) annotations[mark->first] = mark->second;
  const json::object patch{
      {"metadata", Metadata(volume.metadata, std::move(annotations))},
      {"spec", json::object{{"claimRef", json::object{{"apiVersion", "v1"},
                                                      {"kind", "PersistentVolumeClaim"},
                                                      {"namespace", of.namespace_name},
                                                      {"name", of.name},
                                                      {"uid", of.uid},
                                                      {"resourceVersion", of.resource_version}}}}}};
  api_.Patch(ApiPath("/api/v1", {}, "persistentvolumes", volume.metadata.name), PatchType::kMerge,
             json::serialize(patch), Told(std::move(done), ParsePersistentVolume));
}

void ApiVolumeWriter::SelectNode(const PersistentVolumeClaim& claim, const std::string& node,
                                 Done done) {
  const ObjectMeta& of = claim.metadata;
  json::object annotations;
  annotations[json::string_view(kSelectedNodeAnnotation.data(), kSelectedNodeAnnotation.size())] =
      node;
  const json::object patch{{"metadata", Metadata(of, std::move(annotations))}};
  api_.Patch(ApiPath("/api/v1", of.namespace_name, "persistentvolumeclaims", of.name),
             PatchType::kMerge, json::serialize(patch),
             Told(std::move(done), ParsePersistentVolumeClaim));
}

}  // namespace leadline

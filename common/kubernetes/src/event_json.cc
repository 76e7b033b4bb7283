#include "event_json.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "leadline/kubernetes/pod.h"

namespace leadline {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNote = 1024;  // what API servers accept
constexpr std::size_t kMaxWord = 128;

json::object Reference(const ObjectReference& reference) {
  json::object out{
      {"apiVersion", reference.api_version}, {"kind", reference.kind}, {"name", reference.name}};
  if (!reference.namespace_name.empty()) out["namespace"] = reference.namespace_name;
  if (!reference.uid.empty()) out["uid"] = reference.uid;
  if (!reference.resource_version.empty()) out["resourceVersion"] = reference.resource_version;
  return out;
}

std::string Namespace(const Event& event) {
  const std::string& name = event.regarding.namespace_name;
  return name.empty() ? "default" : name;
}

json::object Series(const EventSeries& series) {
  return {{"count", series.count}, {"lastObservedTime", FormatRfc3339(series.last_seen, 6)}};
}

}  // namespace

std::string TruncateUtf8(std::string text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;  // a continuation byte: its character begins before
  }
  text.resize(end);
  return text;
}

ObjectReference ReferenceTo(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return {"v1",          "Pod",        metadata.namespace_name,
          metadata.name, metadata.uid, metadata.resource_version};
}

std::string SeriesKey(const Event& event) {
  const ObjectReference& regarding = event.regarding;
  std::string key;
  for (const std::string* part : {&regarding.kind, &regarding.namespace_name, &regarding.name,
                                  &regarding.uid, &event.reason, &event.action, &event.note}) {
    key += *part;
    key += '\0';
  }
  key += event.warning ? 'w' : 'n';
  return key + (event.related ? event.related->uid + event.related->name : "");
}

std::string EventsPath(const Event& event, std::string_view name) {
  return ApiPath("/apis/events.k8s.io/v1", Namespace(event), "events", name);
}

std::string EventJson(const EventSeries& series, const EventRecorderOptions& options) {
  const Event& event = series.event;
  json::object out{
      {"apiVersion", "events.k8s.io/v1"},
      {"kind", "Event"},
      {"metadata", json::object{{"name", series.name}, {"namespace", Namespace(event)}}},
      {"eventTime", FormatRfc3339(series.first_seen, 6)},
      {"type", event.warning ? "Warning" : "Normal"},
      {"reason", TruncateUtf8(event.reason, kMaxWord)},
      {"action", TruncateUtf8(event.action, kMaxWord)},
      {"note", TruncateUtf8(event.note, kMaxNote)},
      {"regarding", Reference(event.regarding)},
      {"reportingController", options.reporting_controller},
      {"reportingInstance", TruncateUtf8(options.reporting_instance, kMaxWord)},
  };
  if (event.related) out["related"] = Reference(*event.related);
  if (series.count > 1) out["series"] = Series(series);
  return json::serialize(out);
}

std::string SeriesPatchJson(const EventSeries& series) {
  return json::serialize(json::object{{"series", Series(series)}});
}

}  // namespace leadline

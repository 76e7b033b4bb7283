#include "json_reader.h"
#include "leadline/kubernetes/workload.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadMap(JsonReader& reader, Value value, OptionalSelector* out) {
  if (reader.IsNull(value)) return;
  LabelSelector& selector = out->emplace();
  for (auto& [key, text] : reader.Map(value)) {
    selector.requirements.push_back({key, Requirement::Operator::kIn, {text}});
  }
}

template <typename ReadSelector>
Result<Workload> Parse(std::string_view json, ReadSelector read_selector) {
  Workload out;
  const auto done =
      ReadObject(json, "Workload", [&](JsonReader& reader, std::string_view key, Value value) {
        if (key == "metadata") ReadMetadata(reader, value, &out.metadata);
        if (key != "spec") return;
        reader.Members(value, [&](std::string_view field, Value item) {
          if (field == "selector") read_selector(reader, item, &out.selector);
        });
      });
  if (!done) return done.error();
  return out;
}

}  // namespace

Result<Workload> ParseMapSelected(std::string_view json) { return Parse(json, ReadMap); }

Result<Workload> ParseLabelSelected(std::string_view json) {
  return Parse(json, ReadLabelSelector);
}

}  // namespace leadline

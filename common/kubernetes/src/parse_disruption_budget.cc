#include "json_reader.h"
#include "leadline/kubernetes/disruption_budget.h"

namespace leadline {

using Value = JsonReader::Value;

Result<PodDisruptionBudget> ParseDisruptionBudget(std::string_view json) {
  PodDisruptionBudget out;
  const auto read_spec = [&out](JsonReader& reader, Value value) {
    reader.Members(value, [&](std::string_view key, Value item) {
      if (key == "selector") ReadLabelSelector(reader, item, &out.selector);
    });
  };
  const auto read_status = [&out](JsonReader& reader, Value value) {
    reader.Members(value, [&](std::string_view key, Value item) {
      if (key == "disruptionsAllowed") out.disruptions_allowed = reader.Integer(item);
      if (key != "disruptedPods") return;
      reader.Members(item, [&](std::string_view pod, Value) { out.disrupted_pods.emplace(pod); });
    });
  };
  const auto done = ReadObject(json, "PodDisruptionBudget",
                               [&](JsonReader& reader, std::string_view key, Value value) {
                                 if (key == "metadata") ReadMetadata(reader, value, &out.metadata);
                                 if (key == "spec") read_spec(reader, value);
                                 if (key == "status") read_status(reader, value);
                               });
  if (!done) return done.error();
  return out;
}

}  // namespace leadline

#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

// kubectl's copy of the whole object; nobody schedules by it, and it can be large.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

StringMap ReadAnnotations(JsonReader& reader, Value value) {
  StringMap annotations;
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key != kLastApplied) annotations.insert_or_assign(std::string(key), reader.Text(item));
  });
  return annotations;
}

void ReadOwner(JsonReader& reader, Value value, OwnerReference* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "kind") out->kind = reader.Text(item);
    if (key == "name") out->name = reader.Text(item);
    if (key == "uid") out->uid = reader.Text(item);
    if (key == "controller") out->controller = reader.Boolean(item);
  });
}

Requirement::Operator ReadOperator(std::string_view text) {
  using Operator = Requirement::Operator;
  if (text == "In") return Operator::kIn;
  if (text == "NotIn") return Operator::kNotIn;
  if (text == "Exists") return Operator::kExists;
  if (text == "DoesNotExist") return Operator::kDoesNotExist;
  if (text == "Gt") return Operator::kGt;
  if (text == "Lt") return Operator::kLt;
  return Operator::kUnknown;
}

void ReadRequirements(JsonReader& reader, Value value, std::vector<Requirement>* out) {
  reader.Items(value, [&](Value item) {
    Requirement requirement;
    reader.Members(item, [&](std::string_view key, Value part) {
      if (key == "key") requirement.key = reader.Text(part);
      if (key == "operator") requirement.op = ReadOperator(reader.View(part));
      if (key == "values") requirement.values = reader.Texts(part);
    });
    out->push_back(std::move(requirement));
  });
}

}  // namespace

void ReadMetadata(JsonReader& reader, Value value, ObjectMeta* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "name") {
      out->name = reader.Text(item);
    } else if (key == "namespace") {
      out->namespace_name = reader.Text(item);
    } else if (key == "uid") {
      out->uid = reader.Text(item);
    } else if (key == "resourceVersion") {
      out->resource_version = reader.Text(item);
    } else if (key == "creationTimestamp") {
      out->creation_time = reader.Time(item);
    } else if (key == "deletionTimestamp") {
      out->deleting = !reader.IsNull(item);
    } else if (key == "labels") {
      out->labels = reader.Map(item);
    } else if (key == "annotations") {
      out->annotations = ReadAnnotations(reader, item);
    } else if (key == "ownerReferences") {
      reader.Items(item,
                   [&](Value owner) { ReadOwner(reader, owner, &out->owners.emplace_back()); });
    }
  });
}

void ReadNodeSelectorTerm(JsonReader& reader, Value value, NodeSelectorTerm* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "matchExpressions") ReadRequirements(reader, item, &out->match_expressions);
    if (key == "matchFields") ReadRequirements(reader, item, &out->match_fields);
  });
}

void ReadLabelSelector(JsonReader& reader, Value value, OptionalSelector* out) {
  if (reader.IsNull(value)) return;
  LabelSelector& selector = out->emplace();
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "matchExpressions") ReadRequirements(reader, item, &selector.requirements);
    if (key == "matchLabels") {
      reader.Members(item, [&](std::string_view label, Value text) {
        selector.requirements.push_back(
            {std::string(label), Requirement::Operator::kIn, {reader.Text(text)}});
      });
    }
  });
}

}  // namespace leadline

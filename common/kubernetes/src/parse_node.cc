#include "json_reader.h"
#include "leadline/kubernetes/node.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadTaint(JsonReader& reader, Value value, Taint* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "key") out->key = reader.Text(item);
    if (key == "value") out->value = reader.Text(item);
    if (key == "effect") out->effect = reader.Text(item);
  });
}

void ReadSpec(JsonReader& reader, Value value, Node* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "unschedulable") out->unschedulable = reader.Boolean(item);
    if (key == "taints") {
      reader.Items(item,
                   [&](Value taint) { ReadTaint(reader, taint, &out->taints.emplace_back()); });
    }
  });
}

void ReadCondition(JsonReader& reader, Value value, NodeCondition* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "type") out->type = reader.Text(item);
    if (key == "status") out->status = reader.Text(item);
    if (key == "reason") out->reason = reader.Text(item);
  });
}

void ReadAddress(JsonReader& reader, Value value, NodeAddress* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "type") out->type = reader.Text(item);
    if (key == "address") out->address = reader.Text(item);
  });
}

void ReadImage(JsonReader& reader, Value value, ContainerImage* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "names") out->names = reader.Texts(item);
    if (key == "sizeBytes") out->size_bytes = reader.Integer64(item);
  });
}

void ReadStatus(JsonReader& reader, Value value, Node* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "allocatable") {
      out->allocatable = reader.Resources(item);
    } else if (key == "capacity") {
      out->capacity = reader.Resources(item);
    } else if (key == "conditions") {
      reader.Items(item, [&](Value condition) {
        ReadCondition(reader, condition, &out->conditions.emplace_back());
      });
    } else if (key == "addresses") {
      reader.Items(item, [&](Value address) {
        ReadAddress(reader, address, &out->addresses.emplace_back());
      });
    } else if (key == "images") {
      reader.Items(item,
                   [&](Value image) { ReadImage(reader, image, &out->images.emplace_back()); });
    } else if (key == "declaredFeatures") {
      out->declared_features = reader.Texts(item);
    }
  });
}

}  // namespace

Result<Node> ParseNode(std::string_view json) {
  Node node;
  const auto done =
      ReadObject(json, "Node", [&node](JsonReader& reader, std::string_view key, Value value) {
        if (key == "metadata") ReadMetadata(reader, value, &node.metadata);
        if (key == "spec") ReadSpec(reader, value, &node);
        if (key == "status") ReadStatus(reader, value, &node);
      });
  if (!done) return done.error();
  return node;
}

}  // namespace leadline

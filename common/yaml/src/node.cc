#include <algorithm>

#include <fmt/format.h>

#include "value.h"

namespace leadline {

bool YamlNode::IsMap() const { return exists() && value_->kind == Value::Kind::kMap; }
bool YamlNode::IsSequence() const { return exists() && value_->kind == Value::Kind::kSequence; }
bool YamlNode::IsScalar() const { return exists() && value_->kind == Value::Kind::kScalar; }
int YamlNode::line() const { return line_; }

YamlNode YamlNode::Get(std::string_view key) const {
  std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (!IsMap()) {
    if (exists() && value_->known.insert("").second) Expected("a map of keys and values");
    return YamlNode(document_, nullptr, std::move(path), line_);
  }
  value_->known.insert(std::string(key));
  for (const auto& [name, child] : value_->entries) {
    if (name != key) continue;
    const bool null = child->kind == Value::Kind::kNull;
    return YamlNode(document_, null ? nullptr : child.get(), std::move(path), child->line);
  }
  return YamlNode(document_, nullptr, std::move(path), line_);
}

std::vector<YamlNode> YamlNode::Items() const {
  std::vector<YamlNode> items;
  if (!exists()) return items;
  if (!IsSequence()) {
    Expected("a list");
    return items;
  }
  for (std::size_t i = 0; i < value_->items.size(); ++i) {
    const Value* item = value_->items[i].get();
    const bool null = item->kind == Value::Kind::kNull;
    items.push_back(
        YamlNode(document_, null ? nullptr : item, fmt::format("{}[{}]", path_, i), item->line));
  }
  return items;
}

std::vector<std::string> YamlNode::Keys() const {
  std::vector<std::string> keys;
  if (!exists()) return keys;
  if (!IsMap()) {
    Expected("a map of keys and values");
    return keys;
  }
  for (const auto& entry : value_->entries) {
    value_->known.insert(entry.first);
    keys.push_back(entry.first);
  }
  return keys;
}

void YamlNode::RejectUnknownKeys() const {
  if (!exists()) return;
  if (!IsMap()) {
    if (value_->known.insert("").second) Expected("a map of keys and values");
    return;
  }
  for (const auto& [name, child] : value_->entries) {
    if (value_->known.count(name) != 0) continue;
    const std::string path = path_.empty() ? name : fmt::format("{}.{}", path_, name);
    document_->AddMistake(
        child->line, path,
        fmt::format("unknown key; expected one of: {}", fmt::join(value_->known, ", ")));
  }
}

void YamlNode::Expected(std::string_view expected) const {
  std::string found = "nothing";
  if (IsScalar()) found = fmt::format("\"{}\"", value_->scalar);
  if (IsMap()) found = "a map";
  if (IsSequence()) found = "a list";
  Mistake(fmt::format("expected {}, found {}", expected, found));
}

void YamlNode::Mistake(std::string_view what) const {
  if (document_ != nullptr) document_->AddMistake(line_, path_, what);
}

}  // namespace leadline

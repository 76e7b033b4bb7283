// The tree behind YamlNode, and the handler that builds it from yaml-cpp's events.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leadline/yaml/document.h"

namespace leadline {

struct YamlNode::Value {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  int line = 0;
  bool quoted = false;  // a quoted scalar is a string, whatever it looks like
  std::string scalar;
  std::vector<std::unique_ptr<Value>> items;
  std::vector<std::pair<std::string, std::unique_ptr<Value>>> entries;
  mutable std::set<std::string, std::less<>> known;  // keys that the reader asked for
};

class YamlDocumentData {
 public:
  explicit YamlDocumentData(std::string name) : file(std::move(name)) {}

  void AddMistake(int line, std::string_view path, std::string_view text);

  std::string file;
  std::unique_ptr<YamlNode::Value> root;
  std::vector<std::pair<int, std::string>> mistakes;

  // Builds `root`; kInvalidArgument for what is not YAML or not allowed here.
  Result<void> Build(std::string_view text);
};

}  // namespace leadline

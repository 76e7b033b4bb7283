// The only place that meets yaml-cpp: its events become our tree, its exceptions our errors.
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "value.h"

namespace leadline {
namespace {

constexpr std::size_t kMaxDepth = 64;  // yaml-cpp and we recurse; no configuration is that deep

}  // namespace

// yaml-cpp calls it for each event of one document, in order.
class YamlTreeBuilder : public YAML::EventHandler {
 public:
  using Value = YamlNode::Value;
  using Kind = Value::Kind;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Add(mark, Kind::kNull); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "anchors and aliases are not allowed here");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    const bool quoted = tag == "!";
    if (!quoted && tag != "?" && tag != "tag:yaml.org,2002:str") {
      throw YAML::ParserException(mark, "tags are not allowed here: " + tag);
    }
    if (ExpectsKey()) return TakeKey(mark, text);
    const bool null = !quoted && (text.empty() || text == "~" || text == "null");
    Value* value = Add(mark, null ? Kind::kNull : Kind::kScalar);
    value->quoted = quoted;
    value->scalar = text;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, Kind::kSequence);
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, Kind::kMap);
  }
  void OnMapEnd() override { stack_.pop_back(); }

  std::unique_ptr<Value> TakeRoot() { return std::move(root_); }

 private:
  struct Level {
    Value* value;
    std::string key;
    bool has_key = false;
  };

  bool ExpectsKey() const {
    return !stack_.empty() && stack_.back().value->kind == Kind::kMap && !stack_.back().has_key;
  }

  void TakeKey(const YAML::Mark& mark, const std::string& key) {
    for (const auto& entry : stack_.back().value->entries) {
      if (entry.first != key) continue;
      throw YAML::ParserException(mark, fmt::format("key \"{}\" is given twice (first on line {})",
                                                    key, entry.second->line));
    }
    stack_.back().key = key;
    stack_.back().has_key = true;
  }

  Value* Add(const YAML::Mark& mark, Kind kind) {
    if (ExpectsKey()) throw YAML::ParserException(mark, "a key must be a plain word");
    auto value = std::make_unique<Value>();
    value->kind = kind;
    value->line = mark.line + 1;
    Value* raw = value.get();
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (Level& level = stack_.back(); level.value->kind == Kind::kSequence) {
      level.value->items.push_back(std::move(value));
    } else {
      level.value->entries.emplace_back(std::move(level.key), std::move(value));
      level.has_key = false;
    }
    return raw;
  }

  void Open(const YAML::Mark& mark, Kind kind) {
    if (stack_.size() >= kMaxDepth) throw YAML::ParserException(mark, "nested too deeply");
    stack_.push_back({Add(mark, kind), {}, false});
  }

  std::unique_ptr<Value> root_;
  std::vector<Level> stack_;
};

namespace {

// yaml-cpp recurses once for each level it sees, before our handler can count: refuse floods of
// openers first.
bool OpensTooDeep(std::string_view text) {
  std::size_t open = 0;
  for (char c : text) {
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > 4 * kMaxDepth) return true;
  }
  return false;
}

}  // namespace

Result<void> YamlDocumentData::Build(std::string_view text) {
  if (OpensTooDeep(text)) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{}: nested too deeply", file));
  }
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    YamlTreeBuilder builder;
    parser.HandleNextDocument(builder);
    root = builder.TakeRoot();
    YamlTreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{}: expected one document, found several (---)", file));
    }
  } catch (const YAML::Exception& e) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{}:{}: {}", file, e.mark.line + 1, e.msg));
  }
  if (!root) root = std::make_unique<YamlNode::Value>();
  return {};
}

}  // namespace leadline

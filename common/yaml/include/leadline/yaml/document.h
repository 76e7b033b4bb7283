// Strict reading of configuration files: YAML 1.2 (https://yaml.org/spec/1.2.2/) without the
// surprises. Duplicate keys, unknown keys, `yes` for true, `010` for eight, anchors and several
// documents are mistakes, and each mistake is told with file, line, key and the expected form.
//
//   auto document = YamlDocument::Load("config/dqn.yaml");
//   YamlNode root = document->root();
//   root.Get("gamma").Read(&config.gamma, 0.0, 1.0);
//   root.RejectUnknownKeys();
//   if (auto ok = document->Check(); !ok) return ok.error();   // all mistakes at once
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/result.h"

namespace leadline {

class YamlDocumentData;

// A place in the document, possibly absent. Cheap to copy; valid while its document lives.
// Every Read() leaves the target as it was when the key is absent or null (that is how defaults
// work), and reports a mistake to the document when the value has the wrong form.
// Not thread-safe.
class YamlNode {
 public:
  // A node of no document, for "nothing was given".
  static YamlNode Absent() { return YamlNode(nullptr, nullptr, "", 0); }

  bool exists() const { return value_ != nullptr; }  // present and not null
  bool IsMap() const;
  bool IsSequence() const;
  bool IsScalar() const;
  int line() const;                                  // from 1; of the parent when absent
  const std::string& path() const { return path_; }  // "profiles[0].plugins"

  // The value of a key; absent where this is no map. Marks the key as known.
  YamlNode Get(std::string_view key) const;
  // Elements of a sequence; empty when absent. Anything else is a mistake.
  std::vector<YamlNode> Items() const;
  // Keys of a map in order, all marked as known; for maps with free keys.
  std::vector<std::string> Keys() const;
  // Every key of this map that no Get() asked for is a mistake; says which keys there are.
  void RejectUnknownKeys() const;

  bool Read(std::string* out) const;
  bool Read(bool* out) const;  // true or false, nothing else
  bool Read(double* out, double min = -std::numeric_limits<double>::infinity(),
            double max = std::numeric_limits<double>::infinity()) const;
  // Whole numbers; 1000000, 1_000_000 no, 1e+06 yes (Helm writes it), 010 no.
  bool Read(std::int64_t* out, std::int64_t min = std::numeric_limits<std::int64_t>::min(),
            std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  bool Read(int* out, int min = std::numeric_limits<int>::min(),
            int max = std::numeric_limits<int>::max()) const;
  // A Go duration such as "500ms", "1.5s", "1m30s" (also "2h", "10us"); not negative.
  bool Read(std::chrono::nanoseconds* out) const;
  bool Read(std::vector<std::string>* out) const;

  // Reads a required string; absent or empty is a mistake.
  bool Require(std::string* out) const;

  // Adds a mistake at this place: `expected` completes "expected ...".
  void Expected(std::string_view expected) const;
  // Adds a mistake at this place in words of the caller's own.
  void Mistake(std::string_view what) const;

 private:
  friend class YamlDocument;
  friend class YamlDocumentData;
  friend class YamlTreeBuilder;
  struct Value;
  YamlNode(YamlDocumentData* document, const Value* value, std::string path, int line)
      : document_(document), value_(value), path_(std::move(path)), line_(line) {}
  bool ReadScalar(std::string_view expected, const std::string** text) const;
  bool ReadNumber(double* out, std::string_view expected) const;

  YamlDocumentData* document_;
  const Value* value_;
  std::string path_;
  int line_;
};

// One parsed file and the mistakes found in it. Movable; nodes stay valid.
class YamlDocument {
 public:
  // kNotFound or kPermissionDenied for the file; kInvalidArgument with file and line for syntax.
  static Result<YamlDocument> Load(const std::string& file);
  // `file` is the name used in messages.
  static Result<YamlDocument> Parse(std::string_view text, std::string file);
  ~YamlDocument();
  YamlDocument(YamlDocument&&) noexcept;
  YamlDocument& operator=(YamlDocument&&) noexcept;

  YamlNode root() const;
  const std::string& file() const;
  // A relative path is relative to the file that names it.
  std::string ResolvePath(std::string_view path) const;

  // kInvalidArgument with every mistake on a line of its own, in the order of the lines.
  Result<void> Check() const;

 private:
  explicit YamlDocument(std::unique_ptr<YamlDocumentData> data);
  std::unique_ptr<YamlDocumentData> data_;
};

// "500ms", "1m30s" and the like as Go's time.ParseDuration reads them, not negative.
Result<std::chrono::nanoseconds> ParseGoDuration(std::string_view text);

}  // namespace leadline

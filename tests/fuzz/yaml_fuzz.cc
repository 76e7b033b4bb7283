#include <cstdint>

#include "leadline/yaml/document.h"

namespace {

void Visit(const leadline::YamlNode& node) {
  double number = 0;
  std::int64_t whole = 0;
  bool truth = false;
  std::chrono::nanoseconds duration{};
  std::string text;
  if (node.IsMap()) {
    for (const std::string& key : node.Keys()) Visit(node.Get(key));
    return node.RejectUnknownKeys();
  }
  if (node.IsSequence()) {
    for (const leadline::YamlNode& item : node.Items()) Visit(item);
    return;
  }
  node.Read(&number, -1, 1);
  node.Read(&whole, 0);
  node.Read(&truth);
  node.Read(&duration);
  node.Read(&text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = leadline::YamlDocument::Parse(text, "fuzz.yaml");
  if (!document) return 0;
  Visit(document->root());
  (void)document->Check();
  return 0;
}

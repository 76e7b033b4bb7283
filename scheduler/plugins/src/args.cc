#include "args.h"

#include <string>

namespace leadline {
namespace {

void CheckText(const YamlNode& node, std::string_view expected) {
  std::string text;
  if (node.Read(&text) && text != expected) node.Expected(expected);
}

}  // namespace

void CheckArgsKind(const YamlNode& args, std::string_view kind) {
  CheckText(args.Get("apiVersion"), "kubescheduler.config.k8s.io/v1");
  CheckText(args.Get("kind"), kind);
}

}  // namespace leadline

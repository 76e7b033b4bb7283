#include <algorithm>
#include <map>
#include <set>

#include "leadline/exporter/exposition.h"

namespace leadline {
namespace {

std::string LabelNameFor(std::string_view key, std::string_view prefix) {
  std::string name(prefix);
  for (const char c : key) {
    const bool legal = IsLabelName(std::string_view(&c, 1)) || (c >= '0' && c <= '9');
    name += legal ? c : '_';
  }
  if (!IsLabelName(name) || name.starts_with("__")) {
    name.insert(0, name.starts_with("__") ? "key" : "_");
  }
  return name;
}

}  // namespace

std::vector<std::string> LabelNamesFor(const std::vector<std::string>& keys,
                                       std::string_view prefix) {
  std::map<std::string, std::vector<std::size_t>> by_name;  // positions in keys
  for (std::size_t i = 0; i < keys.size(); ++i) by_name[LabelNameFor(keys[i], prefix)].push_back(i);
  std::vector<std::string> names(keys.size());
  std::set<std::string> taken;
  for (const auto& [name, positions] : by_name) taken.insert(name);
  for (auto& [name, positions] : by_name) {
    if (positions.size() == 1) {
      names[positions.front()] = name;
      continue;
    }
    std::sort(positions.begin(), positions.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    int number = 0;
    for (const std::size_t position : positions) {
      std::string candidate;
      do {
        candidate = name + "_conflict" + std::to_string(++number);
      } while (!taken.insert(candidate).second);
      names[position] = candidate;
    }
  }
  return names;
}

}  // namespace leadline

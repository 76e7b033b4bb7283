#include "leadline/kubernetes/metadata.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace leadline {
namespace {

// Go's strconv.ParseInt with base 10: an optional sign, then digits only.
std::optional<std::int64_t> ParseInt(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  if (plus) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool Contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool Compares(const Requirement& requirement, const std::string& label) {
  if (requirement.values.size() != 1) return false;
  const auto have = ParseInt(label);
  const auto bound = ParseInt(requirement.values.front());
  if (!have || !bound) return false;
  return requirement.op == Requirement::Operator::kGt ? *have > *bound : *have < *bound;
}

}  // namespace

std::string ObjectMeta::Key() const {
  return namespace_name.empty() ? name : namespace_name + "/" + name;
}

bool Requirement::Matches(const StringMap& labels) const {
  const auto label = labels.find(key);
  const bool exists = label != labels.end();
  switch (op) {
    case Operator::kIn:
      return exists && Contains(values, label->second);
    case Operator::kNotIn:
      return !exists || !Contains(values, label->second);
    case Operator::kExists:
      return exists;
    case Operator::kDoesNotExist:
      return !exists;
    case Operator::kGt:
    case Operator::kLt:
      return exists && Compares(*this, label->second);
    case Operator::kUnknown:
      break;
  }
  return false;
}

bool LabelSelector::Matches(const StringMap& labels) const {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&labels](const Requirement& one) { return one.Matches(labels); });
}

}  // namespace leadline

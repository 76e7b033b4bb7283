// What all objects share, and label selectors.
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leadline/base/clock.h"

namespace leadline {

using StringMap = std::map<std::string, std::string, std::less<>>;

struct OwnerReference {
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_name;  // empty for what lives in no namespace
  std::string uid;
  std::string resource_version;
  SystemTime creation_time{};
  bool deleting = false;  // deletionTimestamp is set
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owners;

  // "namespace/name", or "name".
  std::string Key() const;
};

// One requirement of a label selector or of a node selector term.
struct Requirement {
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kUnknown };
  std::string key;
  Operator op = Operator::kUnknown;  // an operator we do not know matches nothing
  std::vector<std::string> values;

  // As k8s.io/apimachinery/pkg/labels: NotIn and DoesNotExist match an absent key, In, Gt and Lt
  // do not; Gt and Lt compare base-10 int64 on both sides.
  bool Matches(const StringMap& labels) const;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// matchLabels are kept as In requirements. No requirements: matches everything.
struct LabelSelector {
  std::vector<Requirement> requirements;
  bool Matches(const StringMap& labels) const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// A selector that may be missing: nil matches nothing.
using OptionalSelector = std::optional<LabelSelector>;

}  // namespace leadline

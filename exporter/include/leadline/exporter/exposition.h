// Prometheus's text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/),
// written as Go's client writes it: shortest digits that read back the same, Go's exponent rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leadline {

// The Content-Type of what Registry::Expose() returns, whatever the scraper says it accepts.
inline constexpr std::string_view kExpositionContentType =
    "text/plain; version=0.0.4; charset=utf-8";

// "0.0001", "1e-05", "2.68435456e+08", "+Inf", "NaN".
std::string FormatMetricValue(double value);

// Escapes `\` and newline (in help texts), and `"` as well (in label values).
std::string EscapeHelp(std::string_view text);
std::string EscapeLabelValue(std::string_view text);

// `text` with every byte that is not part of valid UTF-8 replaced by U+FFFD: one bad byte would
// make Prometheus drop every sample of the page.
std::string ToValidUtf8(std::string_view text);

bool IsMetricName(std::string_view name);
bool IsLabelName(std::string_view name);

// Label names for arbitrary keys, Kubernetes label keys above all, by kube-state-metrics' rule:
// the prefix, then the key with every byte outside [a-zA-Z0-9_] as `_`. Keys that would get the
// same name are sorted and get `_conflict1`, `_conflict2`, ... in that order. With an empty prefix
// a leading digit gets a `_` in front, and so does a name that would start with `__`, which is
// Prometheus's own. Result: one name a key, in the order of `keys`, all different if the keys are.
std::vector<std::string> LabelNamesFor(const std::vector<std::string>& keys,
                                       std::string_view prefix = "label_");

}  // namespace leadline

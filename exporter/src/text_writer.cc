#include "text_writer.h"

#include <algorithm>

#include "leadline/exporter/exposition.h"

namespace leadline {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

std::string_view TypeName(MetricType type) {
  if (type == MetricType::Counter) return "counter";
  return type == MetricType::Gauge ? "gauge" : "histogram";
}

// `extra` is a finished `name="value"` pair, or empty.
void WriteLabels(std::string& out, const ClientMetric& metric, const std::string& extra) {
  if (metric.label.empty() && extra.empty()) return;
  char before = '{';
  for (const ClientMetric::Label& label : metric.label) {
    ((out += before) += label.name) += "=\"";
    (out += EscapeLabelValue(label.value)) += '"';
    before = ',';
  }
  if (!extra.empty()) (out += before) += extra;
  out += '}';
}

void WriteSample(std::string& out, const std::string& name, const ClientMetric& metric,
                 double value, const std::string& extra = "") {
  out += name;
  WriteLabels(out, metric, extra);
  ((out += ' ') += FormatMetricValue(value)) += '\n';
}

void WriteHistogram(std::string& out, const std::string& name, const ClientMetric& metric) {
  const auto& histogram = metric.histogram;
  for (const auto& bucket : histogram.bucket) {
    WriteSample(out, name + "_bucket", metric, static_cast<double>(bucket.cumulative_count),
                "le=\"" + FormatMetricValue(bucket.upper_bound) + '"');
  }
  WriteSample(out, name + "_sum", metric, histogram.sample_sum);
  WriteSample(out, name + "_count", metric, static_cast<double>(histogram.sample_count));
}

void WriteFamily(std::string& out, const MetricFamily& family) {
  (((out += "# HELP ") += family.name) += ' ') += EscapeHelp(ToValidUtf8(family.help)) + '\n';
  (((out += "# TYPE ") += family.name) += ' ') += std::string(TypeName(family.type)) + '\n';
  for (const ClientMetric& metric : family.metric) {
    switch (family.type) {
      case MetricType::Counter:
        WriteSample(out, family.name, metric, metric.counter.value);
        break;
      case MetricType::Gauge:
        WriteSample(out, family.name, metric, metric.gauge.value);
        break;
      default:
        WriteHistogram(out, family.name, metric);
    }
  }
}

}  // namespace

std::string WriteFamilies(std::vector<MetricFamily> families) {
  std::sort(families.begin(), families.end(),
            [](const MetricFamily& a, const MetricFamily& b) { return a.name < b.name; });
  std::string out;
  for (MetricFamily& family : families) {
    if (family.metric.empty()) continue;
    std::sort(family.metric.begin(), family.metric.end(),
              [](const ClientMetric& a, const ClientMetric& b) { return a.label < b.label; });
    WriteFamily(out, family);
  }
  return out;
}

}  // namespace leadline

#include "leadline/telemetry/metrics_config.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "leadline/yaml/document.h"

namespace leadline {
namespace {

constexpr std::array<std::string_view, kMetricSignals> kSignalNames = {"cpu", "memory", "latency",
                                                                       "loss"};
constexpr char kRateWindow[] = "$rate_window";

struct UnitRow {
  std::string_view name;
  MetricUnit unit;
  std::string_view signals;  // those it makes sense for
};
constexpr std::array<UnitRow, 6> kUnits = {
    {{"ratio", MetricUnit::kRatio, "cpu memory loss"},
     {"percent", MetricUnit::kPercent, "cpu memory loss"},
     {"cores", MetricUnit::kCores, "cpu"},
     {"bytes", MetricUnit::kBytes, "memory"},
     {"seconds", MetricUnit::kSeconds, "latency"},
     {"milliseconds", MetricUnit::kMilliseconds, "latency"}}};

using Signals = std::map<MetricSignal, SignalConfig>;

struct Defaults {
  std::chrono::nanoseconds max_age;
  std::string rate_window;  // as PromQL writes it
};

// PromQL knows no fractions: "90s", "1500ms".
std::string PromqlDuration(std::chrono::nanoseconds duration) {
  const auto milliseconds = std::chrono::round<std::chrono::milliseconds>(duration).count();
  return milliseconds % 1000 == 0 ? fmt::format("{}s", milliseconds / 1000)
                                  : fmt::format("{}ms", milliseconds);
}

void ReadQuery(const YamlNode& node, const Defaults& defaults, std::string* query) {
  node.Require(query);
  const std::string_view variable = kRateWindow;
  for (auto at = query->find(variable); at != std::string::npos; at = query->find(variable)) {
    query->replace(at, variable.size(), defaults.rate_window);
  }
}

void ReadUnit(const YamlNode& node, MetricSignal signal, MetricUnit* unit) {
  const std::string_view name = MetricSignalName(signal);
  std::string text;
  if (!node.Require(&text)) return;
  std::string allowed;
  for (const UnitRow& row : kUnits) {
    if (row.signals.find(name) == std::string_view::npos) continue;
    if (row.name == text) {
      *unit = row.unit;
      return;
    }
    allowed += fmt::format("{}{}", allowed.empty() ? "" : " or ", row.name);
  }
  node.Expected(fmt::format("{} for {}", allowed, name));
}

SignalConfig ReadSignal(const YamlNode& node, MetricSignal signal, const Defaults& defaults) {
  SignalConfig config = DefaultSignal(signal);
  config.max_age = defaults.max_age;
  ReadQuery(node.Get("query"), defaults, &config.query);
  ReadQuery(node.Get("timestamp"), defaults, &config.timestamp_query);
  ReadUnit(node.Get("unit"), signal, &config.unit);
  const YamlNode labels = node.Get("node_labels");
  if (labels.Read(&config.node_labels) && config.node_labels.empty()) {
    labels.Expected("at least one label name");
  }
  node.Get("min").Read(&config.min);
  node.Get("max").Read(&config.max);
  if (config.min >= config.max) node.Get("max").Expected("a number above min");
  const YamlNode age = node.Get("max_age");
  if (age.Read(&config.max_age) && config.max_age.count() <= 0) age.Expected("a positive duration");
  node.RejectUnknownKeys();
  return config;
}

void ReadSignals(const YamlNode& node, const Defaults& defaults, Signals& signals) {
  for (std::size_t i = 0; i < kMetricSignals; ++i) {
    const auto signal = static_cast<MetricSignal>(i);
    const YamlNode child = node.Get(kSignalNames[i]);
    if (child.exists()) signals.insert_or_assign(signal, ReadSignal(child, signal, defaults));
  }
  node.RejectUnknownKeys();
}

void ReadTexts(const YamlNode& node, HttpHeaders& out) {
  if (!node.exists()) return;
  if (!node.IsMap()) return node.Expected("a map of names to texts");
  for (const std::string& key : node.Keys()) {
    std::string text;
    if (node.Get(key).Read(&text)) out.emplace_back(key, text);
  }
}

// A path in the file is relative to the file.
void ReadPath(const YamlDocument& document, const YamlNode& node, std::string* path) {
  if (node.Read(path) && !path->empty()) *path = document.ResolvePath(*path);
}

void ReadCredentials(const YamlDocument& document, const YamlNode& node, PrometheusConfig& config) {
  const YamlNode basic = node.Get("basic_auth");
  if (basic.exists()) {
    basic.Get("username").Require(&config.username);
    basic.Get("password").Read(&config.password);
    ReadPath(document, basic.Get("password_file"), &config.password_file);
    basic.RejectUnknownKeys();
  }
  const YamlNode bearer = node.Get("authorization");
  if (bearer.exists()) {
    bearer.Get("credentials").Read(&config.credentials);
    ReadPath(document, bearer.Get("credentials_file"), &config.credentials_file);
    bearer.RejectUnknownKeys();
    if (basic.exists()) bearer.Mistake("basic_auth and authorization exclude each other");
  }
}

void ReadTls(const YamlDocument& document, const YamlNode& node, PrometheusConfig& config) {
  if (!node.exists()) return;
  ReadPath(document, node.Get("ca_file"), &config.ca_file);
  ReadPath(document, node.Get("cert_file"), &config.cert_file);
  ReadPath(document, node.Get("key_file"), &config.key_file);
  node.Get("server_name").Read(&config.server_name);
  node.Get("insecure_skip_verify").Read(&config.insecure_skip_verify);
  node.RejectUnknownKeys();
  if (config.cert_file.empty() != config.key_file.empty()) {
    node.Mistake("cert_file and key_file go together");
  }
}

void ReadMethod(const YamlNode& node, PrometheusConfig& config) {
  std::string method = "POST";
  node.Read(&method);
  if (method != "POST" && method != "GET") node.Expected("POST or GET");
  config.use_get = method == "GET";
}

void ReadPrometheus(const YamlDocument& document, const YamlNode& node, PrometheusConfig& config) {
  const YamlNode url = node.Get("url");
  if (url.Require(&config.url)) {
    if (const auto ok = CheckPrometheusUrl(config.url); !ok) url.Expected(ok.error().message());
  }
  ReadCredentials(document, node, config);
  ReadTls(document, node.Get("tls_config"), config);
  ReadTexts(node.Get("headers"), config.headers);
  ReadTexts(node.Get("parameters"), config.parameters);
  ReadMethod(node.Get("method"), config);
  const YamlNode timeout = node.Get("timeout");
  std::chrono::nanoseconds limit = config.timeout;
  if (timeout.Read(&limit) && limit < std::chrono::milliseconds(1)) {
    timeout.Expected("a duration of at least 1ms");
  }
  config.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(limit);
  node.RejectUnknownKeys();
}

void ReadPositive(const YamlNode& node, std::chrono::nanoseconds* out) {
  if (node.Read(out) && *out <= std::chrono::nanoseconds(0)) node.Expected("a positive duration");
}

Result<void> ReadQuerySet(const std::string& file, const Defaults& defaults, Signals& signals) {
  auto document = YamlDocument::Load(file);
  if (!document) return document.error();
  const YamlNode root = document->root();
  ReadSignals(root.Get("signals"), defaults, signals);
  root.RejectUnknownKeys();
  return document->Check();
}

MetricsConfig ReadMain(const YamlDocument& document, Defaults& defaults) {
  MetricsConfig config;
  const YamlNode root = document.root();
  ReadPrometheus(document, root.Get("prometheus"), config.prometheus);
  ReadPositive(root.Get("interval"), &config.interval);
  ReadPositive(root.Get("pause_after_refusal"), &config.pause_after_refusal);
  ReadPositive(root.Get("max_backoff"), &config.max_backoff);
  ReadPositive(root.Get("max_age"), &defaults.max_age);
  ReadPositive(root.Get("rate_window"), &config.rate_window);
  defaults.rate_window = PromqlDuration(config.rate_window);
  return config;
}

}  // namespace

std::string_view MetricSignalName(MetricSignal signal) {
  return kSignalNames[static_cast<std::size_t>(signal)];
}

SignalConfig DefaultSignal(MetricSignal signal) {
  SignalConfig config;
  config.signal = signal;
  // Rates of counters overshoot a little; a loaded node's round trip may take seconds. Less than a
  // microsecond is no round trip over a network but seconds taken for milliseconds.
  if (signal == MetricSignal::kCpu) config.max = 1.2;
  if (signal == MetricSignal::kLatency) {
    config.unit = MetricUnit::kSeconds;
    config.min = 0.001;
    config.max = 60000;
  }
  return config;
}

Result<MetricsConfig> LoadMetricsConfig(const std::string& file) {
  auto document = YamlDocument::Load(file);
  if (!document) return document.error();
  Defaults defaults{std::chrono::minutes(1), ""};
  MetricsConfig config = ReadMain(*document, defaults);
  const YamlNode root = document->root();
  const YamlNode set = root.Get("queries");
  Signals signals;
  Result<void> set_ok;
  std::string set_file;
  if (set.Read(&set_file) && !set_file.empty()) {
    set_ok = ReadQuerySet(document->ResolvePath(set_file), defaults, signals);
    if (!set_ok && set_ok.error().code() != ErrorCode::kInvalidArgument) {
      set.Mistake(set_ok.error().message());
      set_ok = {};
    }
  }
  ReadSignals(root.Get("signals"), defaults, signals);
  root.RejectUnknownKeys();
  if (signals.empty()) root.Mistake("no signals: name a query set under queries, or list signals");
  const auto main_ok = document->Check();
  if (!main_ok || !set_ok) {
    const std::string first = main_ok ? "" : main_ok.error().message();
    const std::string second = set_ok ? "" : set_ok.error().message();
    const char* between = first.empty() || second.empty() ? "" : "\n";
    return Error(ErrorCode::kInvalidArgument, first + between + second);
  }
  for (auto& [signal, one] : signals) config.signals.push_back(std::move(one));
  return config;
}

}  // namespace leadline

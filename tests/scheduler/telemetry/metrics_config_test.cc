#include "leadline/telemetry/metrics_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

class MetricsConfigTest : public testing::Test {
 protected:
  MetricsConfigTest() {
    directory_ = testing::TempDir() + "metrics-config-" + std::to_string(getpid());
    std::filesystem::create_directories(directory_);
  }
  ~MetricsConfigTest() override { std::filesystem::remove_all(directory_); }

  Result<MetricsConfig> Load(const std::string& text) {
    Write("metrics.yaml", text);
    return LoadMetricsConfig(directory_ + "/metrics.yaml");
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ + "/" + name) << text;
  }
  std::string Mistakes(const std::string& text) {
    const auto config = Load(text);
    return config ? "" : config.error().message();
  }

  std::string directory_;
};

constexpr char kCpu[] =
    "  cpu: {query: 'rate(u[$rate_window])', timestamp: timestamp(u), unit: cores}\n";

TEST_F(MetricsConfigTest, DefaultsAndSubstitution) {
  const auto config =
      Load("prometheus: {url: 'http://localhost:9090'}\nsignals:\n" + std::string(kCpu));
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_EQ(config->interval, seconds(5));
  EXPECT_EQ(config->prometheus.timeout, milliseconds(2000));
  ASSERT_EQ(config->signals.size(), 1u);
  EXPECT_EQ(config->signals[0].query, "rate(u[60s])");
  EXPECT_EQ(config->signals[0].unit, MetricUnit::kCores);
  EXPECT_EQ(config->signals[0].max_age, minutes(1));
  EXPECT_THAT(config->signals[0].node_labels, ElementsAre("node", "instance"));
}

TEST_F(MetricsConfigTest, EverythingSet) {
  const auto config = Load(R"(
prometheus:
  url: https://p.example.test/prefix/
  basic_auth: {username: u, password_file: secrets/password}
  tls_config: {ca_file: /ca, cert_file: c, key_file: k, server_name: s, insecure_skip_verify: true}
  headers: {X-Scope-OrgID: tenant}
  parameters: {partial_response: "false"}
  method: GET
  timeout: 500ms
interval: 2s
max_age: 20s
rate_window: 1.5s
signals:
)" + std::string(kCpu) + R"(
  latency: {query: l, timestamp: t, unit: milliseconds, max: 100, max_age: 3s, node_labels: [n]}
)");
  ASSERT_TRUE(config.has_value()) << config.error().message();
  EXPECT_EQ(config->prometheus.username, "u");
  EXPECT_EQ(config->prometheus.password_file, directory_ + "/secrets/password");
  EXPECT_EQ(config->prometheus.ca_file, "/ca");
  EXPECT_TRUE(config->prometheus.use_get);
  EXPECT_TRUE(config->prometheus.insecure_skip_verify);
  EXPECT_THAT(config->prometheus.headers, ElementsAre(Pair("X-Scope-OrgID", "tenant")));
  EXPECT_THAT(config->prometheus.parameters, ElementsAre(Pair("partial_response", "false")));
  EXPECT_EQ(config->signals[0].query, "rate(u[1500ms])");
  EXPECT_EQ(config->signals[0].max_age, seconds(20));
  EXPECT_EQ(config->signals[1].max, 100);
  EXPECT_EQ(config->signals[1].max_age, seconds(3));
}

TEST_F(MetricsConfigTest, OwnSignalsComeBeforeTheQuerySet) {
  Write("set.yaml",
        "signals:\n  cpu: {query: a, timestamp: b, unit: ratio}\n"
        "  memory: {query: m, timestamp: n, unit: bytes}\n");
  const auto config =
      Load("prometheus: {url: 'http://h:1'}\nqueries: set.yaml\nsignals:\n" + std::string(kCpu));
  ASSERT_TRUE(config.has_value()) << config.error().message();
  ASSERT_EQ(config->signals.size(), 2u);
  EXPECT_EQ(config->signals[0].unit, MetricUnit::kCores);
  EXPECT_EQ(config->signals[1].query, "m");
}

TEST_F(MetricsConfigTest, MistakesOfBothFilesAreToldAtOnce) {
  Write("set.yaml", "signals:\n  cpu: {query: a, timestamp: b, unit: bytes}\n");
  const std::string said = Mistakes(
      "prometheus: {url: 'prometheus:9090', colour: red}\nqueries: set.yaml\nsignals:\n"
      "  latency: {query: l, unit: seconds}\n  disk: {query: d}\n");
  EXPECT_THAT(said, HasSubstr("metrics.yaml:1: prometheus.url"));
  EXPECT_THAT(said, HasSubstr("write http://prometheus:9090"));
  EXPECT_THAT(said, HasSubstr("colour"));
  EXPECT_THAT(said, HasSubstr("signals.latency.timestamp"));
  EXPECT_THAT(said, HasSubstr("disk"));
  EXPECT_THAT(said, HasSubstr("set.yaml:2: signals.cpu.unit"));
  EXPECT_THAT(said, HasSubstr("ratio or percent or cores for cpu"));
}

TEST_F(MetricsConfigTest, WrongValues) {
  const std::string head = "prometheus: {url: 'http://h:1'}\n";
  const std::string tail = "signals:\n" + std::string(kCpu);
  EXPECT_THAT(Mistakes(head), HasSubstr("no signals"));
  EXPECT_THAT(Mistakes(head + "interval: 0s\n" + tail), HasSubstr("metrics.yaml:2: interval"));
  EXPECT_THAT(Mistakes(head + "queries: nowhere.yaml\n" + tail), HasSubstr("nowhere.yaml"));
  EXPECT_THAT(Mistakes("prometheus: {url: 'http://h:1', method: PUT}\n" + tail),
              HasSubstr("POST or GET"));
  EXPECT_THAT(Mistakes("prometheus: {url: 'http://h:1', tls_config: {cert_file: c}}\n" + tail),
              HasSubstr("go together"));
  EXPECT_THAT(Mistakes("prometheus: {url: 'http://h:1', basic_auth: {username: u}, "
                       "authorization: {credentials: c}}\n" +
                       tail),
              HasSubstr("exclude each other"));
}

TEST(CheckPrometheusUrlTest, SaysWhatToWriteInstead) {
  for (const char* good : {"http://h", "https://h:9090/prefix/", "http://[fd00::1]:9090"}) {
    EXPECT_TRUE(CheckPrometheusUrl(good).has_value()) << good;
  }
  const auto said = [](const char* url) {
    const auto ok = CheckPrometheusUrl(url);
    return ok ? "" : ok.error().message();
  };
  EXPECT_THAT(said("prometheus.example.test:9090"),
              HasSubstr("write http://prometheus.example.test:9090"));
  EXPECT_THAT(said("ftp://h"), HasSubstr("not ftp://"));
  EXPECT_THAT(said("http://"), HasSubstr("host"));
  EXPECT_THAT(said("http://u:p@h"), HasSubstr("basic_auth"));
  EXPECT_THAT(said("http://h?a=b"), HasSubstr("parameters"));
  EXPECT_THAT(said("http://h h"), HasSubstr("a URL"));
}

TEST(ShippedConfigTest, LoadsWithEveryQuerySet) {
  const std::string config = std::string(LEADLINE_SOURCE_DIR) + "/config/metrics.yaml";
  const auto shipped = LoadMetricsConfig(config);
  ASSERT_TRUE(shipped.has_value()) << shipped.error().message();
  EXPECT_EQ(shipped->signals.size(), kMetricSignals);
}

// The settings that are commented out must be right once uncommented, and be the defaults.
TEST_F(MetricsConfigTest, ShippedDefaultsAreTheRealOnes) {
  const std::regex commented(
      "^( *)# ((interval|pause_after_refusal|max_backoff|max_age|rate_window|timeout|method|"
      "node_labels): )");
  std::ifstream file(std::string(LEADLINE_SOURCE_DIR) + "/config/metrics.yaml");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    text += std::regex_replace(line, commented, "$1$2") + "\n";
  }
  std::filesystem::create_symlink(std::string(LEADLINE_SOURCE_DIR) + "/config/queries",
                                  directory_ + "/queries");
  const auto explicit_config = Load(text);
  ASSERT_TRUE(explicit_config.has_value()) << explicit_config.error().message();
  const auto shipped = LoadMetricsConfig(std::string(LEADLINE_SOURCE_DIR) + "/config/metrics.yaml");
  ASSERT_THAT(text, Not(HasSubstr("# interval:")));
  EXPECT_EQ(explicit_config->interval, shipped->interval);
  EXPECT_EQ(explicit_config->pause_after_refusal, shipped->pause_after_refusal);
  EXPECT_EQ(explicit_config->max_backoff, shipped->max_backoff);
  EXPECT_EQ(explicit_config->prometheus.timeout, shipped->prometheus.timeout);
  ASSERT_EQ(explicit_config->signals.size(), shipped->signals.size());
  for (std::size_t i = 0; i < shipped->signals.size(); ++i) {
    EXPECT_EQ(explicit_config->signals[i].query, shipped->signals[i].query);
    EXPECT_EQ(explicit_config->signals[i].max_age, shipped->signals[i].max_age);
    EXPECT_EQ(explicit_config->signals[i].node_labels, shipped->signals[i].node_labels);
  }
}

}  // namespace
}  // namespace leadline

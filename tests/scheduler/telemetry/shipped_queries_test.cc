// The shipped query sets against a real Prometheus that scrapes recorded pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/telemetry/metrics_poller.h"
#include "scheduler/telemetry/real_prometheus.h"
#include "scheduler/telemetry/replay.h"

namespace leadline {
namespace {

using std::chrono::seconds;

constexpr char kKubeletCpu[] = "node_cpu_usage_seconds_total";
constexpr char kCadvisorCpu[] =
    "container_cpu_usage_seconds_total{container=\"\",cpu=\"total\",id=\"/\",image=\"\",name=\"\","
    "namespace=\"\",pod=\"\"}";

// Node 1 uses half a core of two, node 2 one and a half, kwok's node 4 uses 3.3 of four.
std::vector<NodeIdentity> Nodes() {
  std::vector<NodeIdentity> nodes(3);
  nodes[0] = {"node-1", "node-1.example.test", {"10.0.0.1"}, 2000, 25276502016};
  nodes[1] = {"node-2", "node-2.example.test", {"10.0.0.2", "fd00::2"}, 2000, 25276502016};
  nodes[2] = {"node-4", "", {"10.0.0.4"}, 4000, 8LL << 30};
  return nodes;
}

class ShippedQueriesTest : public testing::Test {
 protected:
  ShippedQueriesTest()
      : kubelet_1_("kubelet-resource-node-1.prom", {{kKubeletCpu, 0.5}}),
        kubelet_2_("kubelet-resource-node-2.prom", {{kKubeletCpu, 1.5}}),
        exporter_(
            "node-exporter.prom",
            Recording::SlopesBetween("node-exporter.prom", "node-exporter-15s-later.prom", 15)) {}

  void SetUp() override {
    if (!std::filesystem::exists(RealPrometheus::kProgram)) GTEST_SKIP() << "no prometheus";
    pages_.Add("kubelet-1", kubelet_1_);
    pages_.Add("kubelet-2", kubelet_2_);
    pages_.Add("kwok-4", Recording("kwok-resource-node-4.prom", {{kKubeletCpu, 3.3}}));
    pages_.Add("cadvisor-1", Recording("cadvisor-node-1.prom", {{kCadvisorCpu, 0.5}}));
    pages_.Add("cadvisor-2", Recording("cadvisor-node-2.prom", {{kCadvisorCpu, 1.5}}));
    pages_.Add("exporter-1", exporter_);
    pages_.Add("exporter-2", exporter_);
    pages_.Listen();
    // Three ways to name a node: by a label `node`, by name in `instance`, by address and port.
    prometheus_ = std::make_unique<RealPrometheus>(
        Job("resource", Target("kubelet-1", "node: node-1") + Target("kubelet-2", "node: node-2") +
                            Target("kwok-4", "node: node-4")) +
        Job("cadvisor", Target("cadvisor-1", "instance: node-1") +
                            Target("cadvisor-2", "instance: node-2.example.test")) +
        Job("node", Target("exporter-1", "instance: '10.0.0.1:9100'") +
                        Target("exporter-2", "instance: '[fd00::2]:9100'")));
    ASSERT_TRUE(prometheus_->ready());
  }

  static std::string Job(const std::string& name, const std::string& targets) {
    return "- job_name: " + name + "\n  static_configs:\n" + targets;
  }
  std::string Target(const std::string& page, const std::string& label) const {
    return "  - targets: ['" + pages_.address() + "']\n    labels: {__metrics_path__: /" + page +
           ", " + label + "}\n";
  }

  Recording kubelet_1_;
  Recording kubelet_2_;
  Recording exporter_;
  ReplayServer pages_;
  std::unique_ptr<RealPrometheus> prometheus_;
};

// A poller with one shipped query set.
class Poller {
 public:
  Poller(const RealPrometheus& prometheus, const std::string& query_set) {
    const std::string file = prometheus.directory() + "/metrics.yaml";
    std::ofstream(file) << "prometheus: {url: '" << prometheus.url() << "', timeout: 10s}\n"
                        << "interval: 200ms\nmax_backoff: 200ms\npause_after_refusal: 200ms\n"
                        << "max_age: 5s\nrate_window: 5s\nqueries: " << LEADLINE_SOURCE_DIR
                        << "/config/queries/" << query_set << "\n";
    const auto config = LoadMetricsConfig(file);
    EXPECT_TRUE(config.has_value()) << config.error().message();
    poller_ = std::make_unique<MetricsPoller>(thread_.io(), *config, Nodes, registry_);
    poller_->Start();
  }

  // Waits until the rate has settled, then looks at the memory.
  void Expect(const std::string& node, double cpu, double memory) const {
    EXPECT_TRUE(Eventually([&] {
      const Reading reading = Read(node, MetricSignal::kCpu);
      return reading.ok() && std::abs(reading.value - cpu) < 0.05 * cpu;
    })) << node
        << " cpu " << Read(node, MetricSignal::kCpu).value << "\n"
        << FormatReport(poller_->Report());
    EXPECT_TRUE(Becomes(node, MissingReason::kNone)) << FormatReport(poller_->Report());
    EXPECT_NEAR(Read(node, MetricSignal::kMemory).value, memory, 1e-6 * memory) << node;
  }
  // What the memory of a node turns into.
  bool Becomes(const std::string& node, MissingReason reason) const {
    return Eventually([&] { return Read(node, MetricSignal::kMemory).missing == reason; });
  }
  std::string Page() const { return registry_.Expose(); }

 private:
  Reading Read(const std::string& node, MetricSignal signal) const {
    return poller_->Snapshot()->Get(node, signal, Clock::Real().SteadyNow());
  }

  Registry registry_;
  IoThread thread_;
  std::unique_ptr<MetricsPoller> poller_;
};

// One test, since starting and ageing take their time.
TEST_F(ShippedQueriesTest, ValuesAgesAndLosses) {
  const Poller kubelet(*prometheus_, "kubelet-resource.yaml");
  const Poller cadvisor(*prometheus_, "cadvisor.yaml");
  const Poller exporter(*prometheus_, "node-exporter.yaml");
  const double bytes = 25276502016.0;
  kubelet.Expect("node-1", 0.25, kubelet_1_.Value("node_memory_working_set_bytes") / bytes);
  kubelet.Expect("node-2", 0.75, kubelet_2_.Value("node_memory_working_set_bytes") / bytes);
  kubelet.Expect("node-4", 0.825, 2.463105024e+09 / static_cast<double>(8LL << 30));
  cadvisor.Expect("node-1", 0.25, 53186560.0 / bytes);
  cadvisor.Expect("node-2", 0.75, 53411840.0 / bytes);
  const double idle = (0.0 + 0.01) / 15 / 2;  // between the two recordings
  const double memory = 1 - exporter_.Value("node_memory_MemAvailable_bytes") /
                                exporter_.Value("node_memory_MemTotal_bytes");
  exporter.Expect("node-1", 1 - idle, memory);
  exporter.Expect("node-2", 1 - idle, memory);
  EXPECT_TRUE(exporter.Becomes("node-4", MissingReason::kAbsent));

  for (const char* page : {"kubelet-2", "cadvisor-2", "exporter-2"}) pages_.TakeDown(page);
  // The kubelet's rows have time stamps of their own: Prometheus goes on showing those of a node
  // that is gone for 5 minutes, and only the time stamp tells.
  EXPECT_TRUE(kubelet.Becomes("node-2", MissingReason::kStale));
  // Rows without time stamps go with the next scrape, machine_memory_bytes among them.
  EXPECT_TRUE(cadvisor.Becomes("node-2", MissingReason::kAbsent));
  EXPECT_TRUE(exporter.Becomes("node-2", MissingReason::kAbsent));
  EXPECT_TRUE(kubelet.Becomes("node-1", MissingReason::kNone));

  prometheus_->Stop();
  EXPECT_TRUE(kubelet.Becomes("node-1", MissingReason::kStale));
  EXPECT_THAT(kubelet.Page(), testing::HasSubstr("leadline_telemetry_up{signal=\"memory\"} 0\n"));
}

}  // namespace
}  // namespace leadline

#include "leadline/exporter/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "leadline/exporter/buckets.h"
#include "leadline/exporter/exposition.h"
#include "leadline/exporter/process_collector.h"

namespace leadline {
namespace {

using testing::HasSubstr;
using testing::Not;

// What `promtool check metrics` says, and its exit status: 0, or 3 for mere advice on naming.
std::pair<int, std::string> PromtoolCheck(const std::string& page) {
  const std::string file = testing::TempDir() + "/page-" + std::to_string(getpid()) + ".prom";
  std::ofstream(file) << page;
  FILE* pipe = popen(("/usr/bin/promtool check metrics < " + file + " 2>&1").c_str(), "r");
  std::string said;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) said += static_cast<char>(c);
  const int status = pclose(pipe);
  std::filesystem::remove(file);
  return {WEXITSTATUS(status), said};
}

TEST(RegistryTest, WritesFamiliesSortedWithHelpAndType) {
  Registry registry;
  registry.DeclareGauge({"leadline_z", "Last.", {"b", "a"}}).With({"2", "1"}).Set(0.5);
  CounterFamily& counter = registry.DeclareCounter({"leadline_a_total", "First.", {"k"}});
  counter.With({"y"}).Increment();
  counter.With({"x"}).Increment(2.5);
  EXPECT_EQ(registry.Expose(),
            "# HELP leadline_a_total First.\n"
            "# TYPE leadline_a_total counter\n"
            "leadline_a_total{k=\"x\"} 2.5\n"
            "leadline_a_total{k=\"y\"} 1\n"
            "# HELP leadline_exporter_series_over_limit_total Times a series beyond its family's "
            "bound was asked for.\n"
            "# TYPE leadline_exporter_series_over_limit_total counter\n"
            "leadline_exporter_series_over_limit_total{family=\"leadline_a_total\"} 0\n"
            "leadline_exporter_series_over_limit_total{family=\"leadline_z\"} 0\n"
            "# HELP leadline_z Last.\n"
            "# TYPE leadline_z gauge\n"
            "leadline_z{a=\"1\",b=\"2\"} 0.5\n");
}

TEST(RegistryTest, HistogramsAreCumulative) {
  Registry registry;
  const Histogram histogram = registry.DeclarePlainHistogram("leadline_s", "H.", {0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) histogram.Observe(value);
  histogram.Observe(std::nan(""));
  EXPECT_THAT(registry.Expose(), HasSubstr("leadline_s_bucket{le=\"0.1\"} 2\n"
                                           "leadline_s_bucket{le=\"1\"} 3\n"
                                           "leadline_s_bucket{le=\"+Inf\"} 4\n"
                                           "leadline_s_sum 7.65\n"
                                           "leadline_s_count 4\n"));
}

TEST(RegistryTest, AFamilyWithoutSeriesIsNotWritten) {
  Registry registry;
  registry.DeclareGauge({"leadline_none", "N.", {"k"}});
  EXPECT_THAT(registry.Expose(), Not(HasSubstr("# TYPE leadline_none")));
}

TEST(RegistryTest, TheSameDeclarationGivesTheSameFamily) {
  Registry registry;
  const FamilySpec spec{"leadline_a_total", "A.", {"k"}};
  EXPECT_EQ(&registry.DeclareCounter(spec), &registry.DeclareCounter(spec));
}

TEST(RegistryTest, CountersBeyondTheBoundAreFolded) {
  Registry registry;
  CounterFamily& family = registry.DeclareCounter({"leadline_a_total", "A.", {"k"}, 2});
  for (const std::string value : {"a", "b", "c", "d", "a", "c"}) family.With({value}).Increment();
  const std::string page = registry.Expose();
  EXPECT_THAT(page, HasSubstr("leadline_a_total{k=\"a\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("leadline_a_total{k=\"b\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("leadline_a_total{k=\"other\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("over_limit_total{family=\"leadline_a_total\"} 3\n"));
}

TEST(RegistryTest, GaugesBeyondTheBoundAreDropped) {
  Registry registry;
  GaugeFamily& family = registry.DeclareGauge({"leadline_g", "G.", {"k"}, 1});
  family.With({"a"}).Set(1);
  family.With({"b"}).Set(2);
  const std::string page = registry.Expose();
  EXPECT_THAT(page, Not(HasSubstr("leadline_g{k=\"b\"}")));
  EXPECT_THAT(page, Not(HasSubstr("leadline_g{k=\"other\"}")));
  EXPECT_THAT(page, HasSubstr("over_limit_total{family=\"leadline_g\"} 1\n"));
}

TEST(RegistryTest, ReplaceAllRemovesWhatIsGone) {
  Registry registry;
  GaugeFamily& family = registry.DeclareGauge({"leadline_g", "G.", {"node"}, 2});
  family.ReplaceAll({{{"a"}, 1}, {{"b"}, 2}});
  family.ReplaceAll({{{"b"}, 3}, {{"c"}, 4}});
  const std::string page = registry.Expose();
  EXPECT_THAT(page, Not(HasSubstr("leadline_g{node=\"a\"}")));
  EXPECT_THAT(page, HasSubstr("leadline_g{node=\"b\"} 3\nleadline_g{node=\"c\"} 4\n"));
  EXPECT_THAT(page, HasSubstr("over_limit_total{family=\"leadline_g\"} 0\n"));
}

TEST(RegistryTest, RemoveEndsOneSeriesAndMakesRoom) {
  Registry registry;
  HistogramFamily& family = registry.DeclareHistogram({"leadline_h", "H.", {"node"}, 2}, {1});
  family.With({"a"}).Observe(0.5);
  family.With({"b"}).Observe(0.5);
  family.Remove({"a"});
  family.Remove({"never there"});
  family.With({"c"}).Observe(0.5);
  family.With({"c"}).Observe(0.5);
  const std::string page = registry.Expose();
  EXPECT_THAT(page, Not(HasSubstr("node=\"a\"")));
  EXPECT_THAT(page, HasSubstr("leadline_h_count{node=\"b\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("leadline_h_count{node=\"c\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("over_limit_total{family=\"leadline_h\"} 0\n"));
}

TEST(RegistryTest, HandlesMadeByDefaultCountNothing) {
  Counter().Increment();
  Gauge().Set(1);
  Histogram().Observe(1);
  EXPECT_EQ(Counter().Value(), 0);
}

TEST(RegistryTest, NegativeStepsAreIgnored) {
  Registry registry;
  const Counter counter = registry.DeclarePlainCounter("leadline_a_total", "A.");
  counter.Increment(2);
  counter.Increment(-1);
  counter.Increment(std::nan(""));
  EXPECT_EQ(counter.Value(), 2);
}

TEST(RegistryDeathTest, WrongSpecificationsStopTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Registry registry;
  EXPECT_DEATH(registry.DeclareGauge({"a-b", "x", {}}), "");
  EXPECT_DEATH(registry.DeclareCounter({"leadline_a", "x", {}}), "");
  EXPECT_DEATH(registry.DeclareGauge({"leadline_a", "x", {"k", "k"}}), "");
  EXPECT_DEATH(registry.DeclareGauge({"leadline_a", "x", {"le"}}), "");
  EXPECT_DEATH(registry.DeclareGauge({"leadline_a", "x", {"k"}}).With({"1", "2"}), "");
  EXPECT_DEATH(registry.DeclareHistogram({"leadline_h", "x", {}}, {2, 1}), "");
  registry.DeclareGauge({"leadline_b", "x", {"k"}});
  EXPECT_DEATH(registry.DeclareGauge({"leadline_b", "x", {"other"}}), "");
}

TEST(RegistryTest, HookRunsAtEachScrapeUntilItsTokenGoes) {
  Registry registry;
  int calls = 0;
  Registry::ScrapeHook token = registry.BeforeScrape([&] { ++calls; });
  registry.Expose();
  registry.Expose();
  token.reset();
  registry.Expose();
  EXPECT_EQ(calls, 2);
}

TEST(RegistryTest, PromtoolAcceptsHardLabelValues) {
  if (!std::filesystem::exists("/usr/bin/promtool")) GTEST_SKIP() << "no promtool";
  Registry registry;
  DeclareBuildInfo(registry, "test");
  const ProcessCollector process(registry);
  const std::vector<std::string> keys = {"topology.kubernetes.io/zone", "a-b", "a_b"};
  registry.DeclareGauge({"leadline_zone_info", "Says \"hi\\\n\".", LabelNamesFor(keys)})
      .With({"quote \" backslash \\ newline \n", "caf\xC3\xA9", "bad \xFF byte"})
      .Set(std::nan(""));
  registry.DeclarePlainHistogram("leadline_x_seconds", "X.", buckets::PluginExecution()).Observe(1);
  const std::string page = registry.Expose();
  const auto [status, said] = PromtoolCheck(page);
  EXPECT_EQ(status, 0) << said << page;
  EXPECT_THAT(page, HasSubstr("label_topology_kubernetes_io_zone=\"quote \\\" backslash \\\\ "
                              "newline \\n\""));
}

TEST(ProcessCollectorTest, TellsOfThisProcess) {
  Registry registry;
  const ProcessCollector process(registry);
  const std::string page = registry.Expose();
  for (const std::string name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_open_fds", "process_max_fds"}) {
    EXPECT_THAT(page, testing::ContainsRegex("\n" + name + " [1-9.0]"));
  }
  const std::string key = "\nprocess_start_time_seconds ";
  const double start = std::strtod(page.c_str() + page.find(key) + key.size(), nullptr);
  EXPECT_NEAR(start, static_cast<double>(time(nullptr)), 3600);
}

TEST(RegistryTest, CountingAndScrapingAtOnce) {
  Registry registry;
  CounterFamily& counters = registry.DeclareCounter({"leadline_a_total", "A.", {"k"}, 10});
  GaugeFamily& nodes = registry.DeclareGauge({"leadline_g", "G.", {"node"}});
  HistogramFamily& times =
      registry.DeclareHistogram({"leadline_s", "S.", {"k"}}, buckets::ExtensionPoint());
  std::atomic<bool> stop{false};
  std::thread scraper([&] {
    while (!stop) registry.Expose();
  });
  std::thread replacer([&] {
    for (int i = 0; !stop; ++i) nodes.ReplaceAll({{{std::to_string(i % 7)}, 1}});
  });
  for (int i = 0; i < 2000; ++i) {
    counters.With({std::to_string(i % 20)}).Increment();
    times.With({"x"}).Observe(0.001);
  }
  stop = true;
  scraper.join();
  replacer.join();
  EXPECT_THAT(registry.Expose(), HasSubstr("leadline_a_total{k=\"other\"} 1000\n"));
}

}  // namespace
}  // namespace leadline

#include "leadline/decisions/decision_log.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace leadline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::shared_ptr<const NodeInfo> Named(const char* name) {
  Node node;
  node.metadata.name = name;
  return std::make_shared<const NodeInfo>(std::make_shared<const Node>(std::move(node)));
}

Decision SampleDecision(std::string id) {
  Decision decision;
  decision.id = std::move(id);
  decision.time = FromUnixSeconds(1796100000.5);
  decision.pod = "shop/web-1";
  decision.uid = "u1";
  decision.profile = "dqn-scheduler";
  decision.result = Decision::Result::kScheduled;
  decision.node = "n2";
  Status tainted(Status::Code::kUnschedulable, "node(s) had untolerated taint(s)");
  tainted.set_plugin("TaintToleration");
  decision.snapshot = std::make_shared<const Snapshot>(7, NodeInfos{Named("n1"), Named("n2")});
  decision.candidates = {decision.snapshot->Find("n2")};
  decision.filtered = {{"n1", tainted}};
  decision.learned.emplace();
  decision.learned->cluster = {{0.5, std::nullopt, 3.25}, {0.25, 0.125, 1.0}};
  decision.learned->states = {{0.25, 0.125, 1.0}};
  decision.learned->values = {1.5f};
  decision.learned->reject_value = -0.5f;
  return decision;
}

Outcome SampleOutcome(std::string id) {
  Outcome outcome;
  outcome.decision_id = std::move(id);
  outcome.time = FromUnixSeconds(1796100000.5);
  outcome.pod = "shop/web-1";
  outcome.node = "n2";
  outcome.state = {0.25, 0.125, 0.01};
  outcome.candidates = 1;
  outcome.reward = 1.25;
  outcome.reward_parts = {{"scheduled", 1.0}, {"balance", 0.25}};
  outcome.next_state = {0.3, 0.15, 0.01};
  outcome.done = true;
  outcome.event = "PodRunning";
  return outcome;
}

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream stream(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(LinesTest, TargetsSaysCandidatesAndWhyNot) {
  const std::string line = TargetsLine(SampleDecision("d1"));
  EXPECT_THAT(line, HasSubstr(R"("id":"d1","time":"2026-12-01T04:40:00.500000Z")"));
  EXPECT_THAT(line, HasSubstr(R"("pod":"shop/web-1","uid":"u1")"));
  EXPECT_THAT(line, HasSubstr(R"("snapshot":7,)"));
  EXPECT_THAT(line, HasSubstr(R"("candidates":["n2"])"));
  EXPECT_THAT(line, HasSubstr(R"("filtered":{"n1":{"plugin":"TaintToleration","reasons":)"
                              R"x(["node(s) had untolerated taint(s)"]}})x"));
  EXPECT_THAT(line, HasSubstr(R"("reject_value":-0.5,"values":[1.5])"));
}

TEST(LinesTest, ConfigurationCacheLeavesMissingMissing) {
  EXPECT_EQ(ConfigurationCacheLine(SampleDecision("d1")),
            R"({"timestamp":"2026-12-01T04:40:00.500000Z","id":"d1","node_count":2,"states":)"
            R"([{"name":"n1","cpu":0.5,"mem":null,"latency":3.25},)"
            R"({"name":"n2","cpu":0.25,"mem":0.125,"latency":1}]})");
}

TEST(LinesTest, DryRunHasItsColumns) {
  EXPECT_EQ(DryRunLine(SampleOutcome("d1")),
            "1796100000.500000\t[0.25,0.125,0.01]\t0\t1.25\t[0.3,0.15,0.01]\t1\td1\tshop/web-1\t"
            "n2\t1\tPodRunning\t-\t0\t1\tscheduled=1,balance=0.25");
}

// Every line is one JSON value, whatever stands in it.
TEST(LinesTest, AreJsonWhateverTheyAreTold) {
  Decision decision = SampleDecision("d\"1");
  decision.message = "a\nb\t\\ \x01 \xc3\xa9";
  Status odd(Status::Code::kUnschedulable, "had \"quotes\", \n and \\");
  odd.set_plugin("Odd\"");
  decision.filtered = {{"n1", odd}, {"n2", odd}};
  decision.learned->values = {std::numeric_limits<float>::quiet_NaN(), -1e30f, 1.0f / 3};
  decision.learned->cluster[0].cpu_ratio = std::numeric_limits<double>::infinity();
  const auto targets = boost::json::parse(TargetsLine(decision)).as_object();
  EXPECT_EQ(targets.at("id"), "d\"1");
  EXPECT_EQ(targets.at("message"), "a\nb\t\\ \x01 \xc3\xa9");
  EXPECT_EQ(targets.at("filtered").at("n2").at("plugin"), "Odd\"");
  EXPECT_EQ(targets.at("filtered").at("n1").at("reasons").at(0), "had \"quotes\", \n and \\");
  EXPECT_TRUE(targets.at("values").at(0).is_null());
  EXPECT_EQ(targets.at("values").at(1).to_number<float>(), -1e30f);
  EXPECT_EQ(targets.at("values").at(2).to_number<float>(), 1.0f / 3);
  const auto states = boost::json::parse(ConfigurationCacheLine(decision)).as_object();
  EXPECT_TRUE(states.at("states").at(0).at("cpu").is_null());
  EXPECT_EQ(states.at("node_count").to_number<int>(), 2);
}

TEST(LinesTest, ANameCannotBreakARow) {
  Outcome outcome = SampleOutcome("d1");
  outcome.event = "a\tb\nc";
  EXPECT_THAT(DryRunLine(outcome), HasSubstr("\ta b c\t"));
}

TEST(DecisionLogTest, WritesThreeLogsJoinedById) {
  const std::string directory = testing::TempDir() + "decision_log_test";
  fs::remove_all(directory);
  {
    DecisionLog log({.directory = directory, .rotation = {}});
    for (int i = 0; i < 50; ++i) {
      log.OnDecision(std::make_shared<Decision>(SampleDecision("d" + std::to_string(i))));
      log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d" + std::to_string(i))));
    }
    log.Flush();
    EXPECT_EQ(log.counts().written, 100u);
    EXPECT_EQ(log.counts().dropped, 0u);
  }
  const auto targets = Lines(directory + "/targets.log");
  const auto states = Lines(directory + "/configurationCache.log");
  const auto rows = Lines(directory + "/dryrun.log");
  ASSERT_EQ(targets.size(), 50u);
  ASSERT_EQ(states.size(), 50u);
  ASSERT_EQ(rows.size(), 50u);
  EXPECT_THAT(targets[7], HasSubstr(R"("id":"d7")"));
  EXPECT_THAT(states[7], HasSubstr(R"("id":"d7")"));
  EXPECT_THAT(rows[7], HasSubstr("\td7\t"));
  fs::remove_all(directory);
}

TEST(DecisionLogTest, AFullQueueDropsAndCounts) {
  const std::string directory = testing::TempDir() + "decision_log_full";
  // One decision about two nodes weighs three.
  DecisionLog log({.directory = directory, .rotation = {}, .max_queued = 2});
  log.OnDecision(std::make_shared<Decision>(SampleDecision("d")));
  EXPECT_EQ(log.counts().dropped, 1u);
  log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d")));
  log.Flush();
  log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d")));  // its room is free again
  log.Flush();
  log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d")));
  log.Flush();
  EXPECT_EQ(log.counts().dropped, 1u);
  EXPECT_EQ(log.counts().written, 3u);
  fs::remove_all(directory);
}

TEST(DecisionLogTest, AnUnwritableDirectoryIsCountedAndStopsNothing) {
  const std::string file = testing::TempDir() + "decision_log_file";
  std::ofstream(file) << "x";
  DecisionLog log({.directory = file, .rotation = {}});
  log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d")));
  log.Flush();
  EXPECT_EQ(log.counts().written, 0u);
  EXPECT_EQ(log.counts().dropped, 1u);
  fs::remove(file);
}

}  // namespace
}  // namespace leadline

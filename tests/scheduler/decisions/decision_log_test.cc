#include "leadline/decisions/decision_log.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  EXPECT_THAT(line, HasSubstr(R"("snapshot":7,"candidates":["n2"])"));
  EXPECT_THAT(line, HasSubstr(R"("filtered":{"n1":{"plugin":"TaintToleration","reasons":)"
                              R"x(["node(s) had untolerated taint(s)"]}})x"));
  EXPECT_THAT(line, HasSubstr(R"("values":[1.5E0],"reject_value":-5E-1)"));
}

TEST(LinesTest, ConfigurationCacheLeavesMissingMissing) {
  EXPECT_EQ(ConfigurationCacheLine(SampleDecision("d1")),
            R"({"timestamp":"2026-12-01T04:40:00.500000Z","id":"d1","node_count":2,"states":)"
            R"([{"name":"n1","cpu":5E-1,"mem":null,"latency":3.25E0},)"
            R"({"name":"n2","cpu":2.5E-1,"mem":1.25E-1,"latency":1E0}]})");
}

TEST(LinesTest, DryRunHasItsColumns) {
  EXPECT_EQ(DryRunLine(SampleOutcome("d1")),
            "1796100000.500000\t[0.25,0.125,0.01]\t0\t1.25\t[0.3,0.15,0.01]\t1\td1\tshop/web-1\t"
            "n2\t1\tPodRunning\t-\t0\t1\tscheduled=1,balance=0.25");
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
  DecisionLog log({.directory = directory, .rotation = {}, .max_queued = 0});
  log.OnOutcome(std::make_shared<Outcome>(SampleOutcome("d")));
  EXPECT_EQ(log.counts().dropped, 1u);
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

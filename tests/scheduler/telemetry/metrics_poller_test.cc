#include "leadline/telemetry/metrics_poller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <sstream>

#include "scheduler/telemetry/fake_prometheus.h"

namespace leadline {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

// What is logged while this lives.
class LogCapture {
 public:
  LogCapture() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(stream_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("capture", sink));
  }
  ~LogCapture() { spdlog::set_default_logger(before_); }
  std::string text() const { return stream_.str(); }

 private:
  std::ostringstream stream_;
  std::shared_ptr<spdlog::logger> before_;
};

std::vector<NodeIdentity> ThreeNodes() {
  std::vector<NodeIdentity> nodes(3);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].name = "n" + std::to_string(i + 1);
  return nodes;
}

class MetricsPollerTest : public testing::Test {
 protected:
  MetricsPollerTest() {
    config_.prometheus.url = fake_.url();
    config_.prometheus.timeout = seconds(20);
    config_.interval = config_.pause_after_refusal = config_.max_backoff = milliseconds(20);
    SignalConfig cpu = DefaultSignal(MetricSignal::kCpu);
    cpu.query = "cpu";
    cpu.timestamp_query = "cpu_time";
    cpu.max_age = seconds(600);
    config_.signals = {cpu};
    fake_.SetVector("cpu", {{"n1", "0.1"}, {"n2", "0.2"}, {"n3", "0.3"}});
    SetAges("1796099990");  // 10 s old
  }
  ~MetricsPollerTest() override { poller_.reset(); }

  void SetAges(const std::string& time) {
    fake_.SetVector("cpu_time", {{"n1", time}, {"n2", time}, {"n3", time}});
  }

  void Start() {
    poller_ = std::make_unique<MetricsPoller>(thread_.io(), config_, ThreeNodes, registry_);
    poller_->Start();
  }
  Reading Cpu(const std::string& node) const {
    return poller_->Snapshot()->Get(node, MetricSignal::kCpu, Clock::Real().SteadyNow());
  }
  double Queries(const std::string& result) {
    return registry_
        .DeclareCounter({"leadline_telemetry_queries_total",
                         "Queries sent to Prometheus, by how they ended.",
                         {"signal", "result"}})
        .With({"cpu", result})
        .Value();
  }

  FakePrometheus fake_;
  IoThread thread_;
  Registry registry_;
  MetricsConfig config_;
  std::unique_ptr<MetricsPoller> poller_;
};

TEST_F(MetricsPollerTest, EachNodeHasItsValueAndAge) {
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  EXPECT_TRUE(Cpu("n2").ok());
  EXPECT_EQ(Cpu("n2").value, 0.2);
  EXPECT_GE(Cpu("n2").age, seconds(10));
  EXPECT_LT(Cpu("n2").age, seconds(60));
  EXPECT_EQ(Cpu("n4").missing, MissingReason::kUnknownNode);
  const std::string page = registry_.Expose();
  EXPECT_THAT(page, HasSubstr("leadline_telemetry_nodes{signal=\"cpu\",state=\"ok\"} 3\n"));
  EXPECT_THAT(page, HasSubstr("leadline_telemetry_up{signal=\"cpu\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("leadline_node_metric_age_seconds{node=\"n1\",signal=\"cpu\"} 1"));
  EXPECT_THAT(page,
              HasSubstr("leadline_telemetry_sample_age_seconds{signal=\"cpu\",stat=\"oldest\"}"));
}

TEST_F(MetricsPollerTest, BeforeAnyAnswer) {
  poller_ = std::make_unique<MetricsPoller>(thread_.io(), config_, ThreeNodes, registry_);
  EXPECT_EQ(Cpu("n1").missing, MissingReason::kNoAnswer);
  EXPECT_FALSE(poller_->WaitForFirstRound(milliseconds(1)));
  EXPECT_THAT(FormatReport(poller_->Report()), HasSubstr("cpu: not answered yet"));
}

TEST_F(MetricsPollerTest, HalfAnAnswerWithWarnings) {
  fake_.SetVector("cpu", {{"n1", "0.1"}},
                  R"("warnings":["store x timed out"],"infos":["a remark"],)");
  LogCapture log;
  Start();
  ASSERT_TRUE(Eventually([&] { return Queries("success") >= 6; }));
  EXPECT_TRUE(Cpu("n1").ok());
  EXPECT_EQ(Cpu("n2").missing, MissingReason::kAbsent);
  poller_->Stop();
  const double rounds = static_cast<double>(fake_.Count("cpu"));
  const Counter warnings =
      registry_
          .DeclareCounter({"leadline_telemetry_warnings_total",
                           "Answers that came with warnings: they may be partial.",
                           {"signal"}})
          .With({"cpu"});
  EXPECT_GE(warnings.Value(), rounds - 1);  // one a reply; the last may have come too late
  EXPECT_LE(warnings.Value(), rounds);
  const std::string text = log.text();
  EXPECT_EQ(text.find("store x timed out"), text.rfind("store x timed out")) << text;
  EXPECT_THAT(text, HasSubstr("2 node(s) without value: n2 (absent), n3 (absent)"));
}

TEST_F(MetricsPollerTest, MissingIsKeptUntilStaleThenToldApart) {
  config_.signals[0].max_age = seconds(11);
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  fake_.SetVector("cpu", {{"n1", "0.1"}, {"n2", "NaN"}});
  ASSERT_TRUE(Eventually([&] { return Cpu("n3").missing == MissingReason::kAbsent; }));
  ASSERT_TRUE(Eventually([&] { return Cpu("n2").missing == MissingReason::kNotANumber; }));
  EXPECT_TRUE(Cpu("n1").ok());
  EXPECT_THAT(
      registry_.Expose(),
      HasSubstr("leadline_telemetry_bad_series_total{reason=\"not_a_number\",signal=\"cpu\"}"));
}

TEST_F(MetricsPollerTest, EveryWayAnAnswerCanBeWrong) {
  FakePrometheus other;
  ServerResponse redirect;
  redirect.status = 302;
  redirect.headers = {{"Location", other.url() + "/api/v1/query"}};
  const std::string words = R"({"status":"error","errorType":"execution","error":"many-to-many"})";
  ServerResponse html;
  html.content_type = "text/html";
  html.body = "<!DOCTYPE html>" + std::string(80000, 'x');
  const std::vector<std::pair<ServerResponse, ErrorCode>> wrong = {
      {FakePrometheus::Json(words, 400), ErrorCode::kInvalidArgument},
      {FakePrometheus::Json(words, 422), ErrorCode::kInvalidArgument},
      {FakePrometheus::Json("", 503), ErrorCode::kUnavailable},
      {FakePrometheus::Json("", 429), ErrorCode::kResourceExhausted},
      {html, ErrorCode::kPermissionDenied},
      {redirect, ErrorCode::kPermissionDenied},
      {FakePrometheus::Json(R"({"status":"success","data":{"resu)"), ErrorCode::kDataLoss}};
  config_.prometheus.credentials = "secret";
  LogCapture log;
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  for (const auto& [response, code] : wrong) {
    const double before = Queries(std::string(ErrorCodeName(code)));
    fake_.Set("cpu", response);
    ASSERT_TRUE(Eventually([&, code_name = std::string(ErrorCodeName(code))] {
      return Queries(code_name) >= before + 3;
    })) << ErrorCodeName(code);
    EXPECT_TRUE(Cpu("n1").ok());  // the last good value
    EXPECT_NE(poller_->Report().at(0).error, "");
  }
  EXPECT_TRUE(other.requests().empty());
  fake_.SetVector("cpu", {{"n1", "0.7"}, {"n2", "0.2"}, {"n3", "0.3"}});
  ASSERT_TRUE(Eventually([&] { return Cpu("n1").value == 0.7; }));
  poller_.reset();
  const std::string text = log.text();
  EXPECT_LT(text.size(), 6000u) << text;
  EXPECT_THAT(text, HasSubstr("execution: many-to-many"));
  EXPECT_THAT(text, HasSubstr("looks like a login page"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST_F(MetricsPollerTest, ASilentPrometheusIsAskedOneAtATimeAndHoldsNothingUp) {
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  fake_.Set("cpu", ServerResponse{0, "", "", {}});
  const std::size_t sent = fake_.Count("cpu");
  ASSERT_TRUE(Eventually([&] { return fake_.Count("cpu") > sent; }));
  const std::size_t hanging = fake_.Count("cpu");
  std::this_thread::sleep_for(config_.interval * 10);
  EXPECT_EQ(fake_.Count("cpu"), hanging);
  EXPECT_TRUE(Cpu("n1").ok());  // answered from memory while the query hangs
}

TEST_F(MetricsPollerTest, TimeOutsAreCounted) {
  fake_.Set("cpu", ServerResponse{0, "", "", {}});
  config_.prometheus.timeout = milliseconds(100);
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  EXPECT_EQ(Cpu("n1").missing, MissingReason::kNoAnswer);
  EXPECT_GE(Queries("timeout"), 1);
  EXPECT_THAT(registry_.Expose(), HasSubstr("leadline_telemetry_up{signal=\"cpu\"} 0\n"));
}

TEST_F(MetricsPollerTest, StrangersAndSharedAddressesAreReported) {
  fake_.SetVector("cpu", {{"n1", "0.1"}, {"elsewhere", "0.2"}});
  Start();
  ASSERT_TRUE(poller_->WaitForFirstRound(seconds(20)));
  const SignalReport report = poller_->Report().at(0);
  EXPECT_EQ(report.series_without_node, 1u);
  ASSERT_EQ(report.nodes_without.size(), 2u);
  EXPECT_EQ(report.nodes_without[0].first, "n2");
  EXPECT_THAT(FormatReport({report}),
              HasSubstr("1 series without node, 0 that fit more than one node, e.g. "
                        "{node=\"elsewhere\"}"));
  EXPECT_THAT(registry_.Expose(),
              HasSubstr("leadline_telemetry_unmatched_series{match=\"none\",signal=\"cpu\"} 1\n"));
}

TEST_F(MetricsPollerTest, NodesThatAreGoneLeaveTheSnapshot) {
  std::atomic<bool> gone{false};
  poller_ = std::make_unique<MetricsPoller>(
      thread_.io(), config_,
      [&] {
        auto nodes = ThreeNodes();
        if (gone) nodes.pop_back();
        return nodes;
      },
      registry_);
  poller_->Start();
  ASSERT_TRUE(Eventually([&] { return Cpu("n3").ok(); }));
  gone = true;
  ASSERT_TRUE(Eventually([&] { return Cpu("n3").missing == MissingReason::kUnknownNode; }));
  EXPECT_THAT(registry_.Expose(), Not(HasSubstr("node=\"n3\"")));
  poller_.reset();  // before `gone` goes
}

TEST_F(MetricsPollerTest, StopsWhileQueriesAreUnderWay) {
  fake_.Set("cpu", ServerResponse{0, "", "", {}});
  Start();
  ASSERT_TRUE(Eventually([&] { return fake_.Count("cpu") > 0; }));
  poller_->Stop();
  poller_->Stop();
  EXPECT_EQ(Cpu("n1").missing, MissingReason::kNoAnswer);
  poller_.reset();
}

}  // namespace
}  // namespace leadline

// The agent as a whole, by what a scrape shows.
#include "leadline/probe/agent.h"

#include <gmock/gmock.h>

#include <sstream>

#include "probe-agent/loopback.h"

namespace leadline {
namespace {

using loopback::Peer;
using loopback::RunUntil;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// A source that tells what the test says.
struct Told : PeerSource {
  explicit Told(OnPeers* tell) : tell_(tell) {}
  void Start(OnPeers on_peers) override { *tell_ = std::move(on_peers); }
  OnPeers* tell_;
};

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    config_.node = "here";
    config_.listen = boost::asio::ip::address_v4::loopback();
    config_.listen_port = 0;
    config_.interval = milliseconds(10);
    config_.timeout_ms = 30;
  }

  void Start() {
    agent_ = std::make_unique<ProbeAgent>(io_, config_, std::make_unique<Told>(&tell_), registry_);
    const auto answering = agent_->Answer();
    ASSERT_TRUE(answering) << answering.error().message();
    ASSERT_TRUE(agent_->Measure());
  }

  void Tell(std::vector<ProbePeer> peers) { tell_(std::move(peers)); }

  // The sample of a scrape whose name and labels read like that.
  std::optional<double> Value(const std::string& series) {
    std::istringstream page(registry_.Expose());
    for (std::string line; std::getline(page, line);) {
      if (line.starts_with(series + " ")) return std::stod(line.substr(series.size() + 1));
    }
    return std::nullopt;
  }
  std::size_t SeriesCount() {
    std::istringstream page(registry_.Expose());
    std::size_t count = 0;
    for (std::string line; std::getline(page, line);) count += line[0] != '#';
    return count;
  }
  void RunUntilMeasured(const std::string& peer) {
    RunUntil(io_, [&] {
      return Value("leadline_probe_rtt_seconds_count{node=\"here\",peer=\"" + peer + "\"}")
                 .value_or(0) >= 3;
    });
  }

  AgentConfig config_;
  boost::asio::io_context io_;
  Registry registry_;
  PeerSource::OnPeers tell_;
  EchoResponder alive_{io_};
  Peer silent_{io_, [](Peer&, std::span<const std::uint8_t>, const auto&) {}};
  std::unique_ptr<ProbeAgent> agent_;
};

TEST_F(AgentTest, NothingMeasuredIsNotZero) {
  Start();
  Tell({});
  const std::string page = registry_.Expose();
  EXPECT_THAT(page, Not(HasSubstr("leadline_probe_node_rtt_seconds{")));
  EXPECT_THAT(page, Not(HasSubstr("leadline_probe_node_loss_ratio{")));
  EXPECT_EQ(Value("leadline_probe_peers"), 0);
  EXPECT_EQ(Value("leadline_probe_packets_total{result=\"sent\"}"), 0);
}

TEST_F(AgentTest, ASilentPeerHasALossAndNoTime) {
  Start();
  Tell({{"there", silent_.address()}});
  const std::string loss = "leadline_probe_loss_ratio{node=\"here\",peer=\"there\"}";
  RunUntil(io_, [&] { return Value(loss) == 1.0; });
  EXPECT_EQ(Value("leadline_probe_node_loss_ratio{node=\"here\"}"), 1.0);
  EXPECT_EQ(Value("leadline_probe_node_rtt_seconds{node=\"here\"}"), std::nullopt);
  EXPECT_EQ(Value("leadline_probe_jitter_seconds{node=\"here\",peer=\"there\"}"), std::nullopt);
}

// Every peer is in every scrape, the dead ones too.
TEST_F(AgentTest, TheSeriesStayTheSameBetweenRounds) {
  ASSERT_TRUE(alive_.Listen(loopback::AnyPort()));
  config_.timeout_ms = 500;  // many scrapes while packets are under way
  config_.interval = milliseconds(100);
  Start();
  Tell({{"alive", alive_.local()}, {"dead", silent_.address()}});
  RunUntilMeasured("alive");
  RunUntil(io_, [&] {
    return Value("leadline_probe_loss_ratio{node=\"here\",peer=\"dead\"}").has_value();
  });
  const std::size_t count = SeriesCount();
  for (int scrape = 0; scrape < 60; ++scrape) {
    loopback::RunFor(io_, milliseconds(10));
    ASSERT_EQ(SeriesCount(), count);
    // The same peers told again are no new ones.
    if (scrape == 30) Tell({{"dead", silent_.address()}, {"alive", alive_.local()}});
  }
  const double rtt = Value("leadline_probe_node_rtt_seconds{node=\"here\"}").value();
  EXPECT_GE(rtt, 0);
  EXPECT_LT(rtt, 0.5);
}

TEST_F(AgentTest, APeerThatGoesTakesItsSeriesAlong) {
  ASSERT_TRUE(alive_.Listen(loopback::AnyPort()));
  Start();
  Tell({{"a", alive_.local()}, {"b", alive_.local()}});
  RunUntilMeasured("a");
  RunUntilMeasured("b");
  Tell({{"b", alive_.local()}});
  const std::string page = registry_.Expose();
  EXPECT_THAT(page, Not(HasSubstr("peer=\"a\"")));
  EXPECT_THAT(page, HasSubstr("peer=\"b\""));
  EXPECT_EQ(Value("leadline_probe_peers"), 1);
  loopback::RunFor(io_, milliseconds(100));
  EXPECT_THAT(registry_.Expose(), Not(HasSubstr("peer=\"a\"")));
}

TEST_F(AgentTest, ItselfIsLeftOutByNameAndByAddress) {
  ASSERT_TRUE(alive_.Listen(loopback::AnyPort()));
  config_.listen_port = alive_.local().port();
  alive_.Close();
  Start();
  const auto own = boost::asio::ip::udp::endpoint(*config_.listen, config_.listen_port);
  Tell({{"here", silent_.address()}, {"127.0.0.1", own}, {"there", silent_.address()}});
  ASSERT_EQ(agent_->Report().size(), 1u);
  EXPECT_EQ(agent_->Report()[0].node, "there");
}

TEST_F(AgentTest, ItselfIsLeftOutWhereItListensEverywhere) {
  const std::optional<boost::asio::ip::address> both, v4 = boost::asio::ip::address_v4::any();
  for (const auto& listen : {both, v4}) {
    ASSERT_TRUE(alive_.ListenEverywhere(0));
    config_.listen_port = alive_.local().port();
    alive_.Close();
    config_.listen = listen;
    agent_.reset();
    Start();
    const auto at = [&](const char* address, int port) {
      return boost::asio::ip::udp::endpoint(boost::asio::ip::make_address(address),
                                            static_cast<std::uint16_t>(port));
    };
    Tell({{"127.0.0.1", at("127.0.0.1", config_.listen_port)},
          {"same host", silent_.address()},
          {"elsewhere", at("192.0.2.1", config_.listen_port)}});
    ASSERT_EQ(agent_->Report().size(), 2u);
    EXPECT_EQ(agent_->Report()[0].node, "elsewhere");
    EXPECT_EQ(agent_->Report()[1].node, "same host");
  }
}

TEST_F(AgentTest, TooManyPeersAreCutToTheLimit) {
  config_.max_peers = 4;
  Start();
  std::vector<ProbePeer> many;
  for (int i = 0; i < 50; ++i) many.push_back({"node-" + std::to_string(i), silent_.address()});
  Tell(many);
  EXPECT_EQ(agent_->Report().size(), 4u);
}

TEST_F(AgentTest, NamesFromOutsideDoNotBreakThePage) {
  ASSERT_TRUE(alive_.Listen(loopback::AnyPort()));
  Start();
  Tell({{"a \"b\" \\ \n c", alive_.local()}});
  RunUntilMeasured("a \\\"b\\\" \\\\ \\n c");
}

}  // namespace
}  // namespace leadline

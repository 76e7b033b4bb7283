#include "leadline/probe/agent_config.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace leadline {
namespace {

using ::testing::HasSubstr;

class AgentConfigTest : public ::testing::Test {
 protected:
  AgentConfigTest() {
    std::string name = (std::filesystem::temp_directory_path() / "agent-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~AgentConfigTest() override { std::filesystem::remove_all(directory_); }

  Result<AgentConfig> Load(const std::string& text) {
    std::ofstream(directory_ / "agent.yaml") << text;
    return LoadAgentConfig(directory_ / "agent.yaml");
  }
  std::string MistakeIn(const std::string& text) {
    const auto config = Load(text);
    if (!config) return config.error().message();
    ADD_FAILURE() << "accepted: " << text;
    return "";
  }

  std::filesystem::path directory_;
};

TEST_F(AgentConfigTest, TheShippedFileIsGoodAndHoldsTheDefaults) {
  const auto config = LoadAgentConfig(LEADLINE_SOURCE_DIR "/config/probe-agent.yaml");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->timeout_ms, 500);
  EXPECT_EQ(config->retry_times, 1);
  EXPECT_EQ(config->interval, std::chrono::seconds(1));
  EXPECT_EQ(config->max_peers, 16);
  EXPECT_EQ(config->listen, std::nullopt);
  EXPECT_EQ(config->listen_port, kProbePort);
  EXPECT_TRUE(config->from_kubernetes);
  EXPECT_EQ(config->kubernetes_selector, "app.kubernetes.io/name=leadline-probe-agent");
}

TEST_F(AgentConfigTest, ReadsWhereToListen) {
  EXPECT_EQ(Load("listen: 10.0.0.1:99").value().listen, boost::asio::ip::make_address("10.0.0.1"));
  EXPECT_EQ(Load("listen: 0.0.0.0:99").value().listen, boost::asio::ip::make_address("0.0.0.0"));
  EXPECT_EQ(Load("listen: '[::1]:99'").value().listen, boost::asio::ip::make_address("::1"));
  for (const char* text : {"listen: ':99'", "listen: '[::]:99'"}) {
    const auto everywhere = Load(text);
    ASSERT_TRUE(everywhere) << everywhere.error().message();
    EXPECT_EQ(everywhere->listen, std::nullopt) << text;
    EXPECT_EQ(everywhere->listen_port, 99);
  }
  EXPECT_THAT(MistakeIn("listen: everywhere"), HasSubstr("expected ADDRESS:PORT"));
}

TEST_F(AgentConfigTest, MistakesAreToldTogetherWithFileLineAndKey) {
  const std::string message = MistakeIn(
      "timeout_ms: 0\n"
      "retry_times: many\n"
      "max_peer: 3\n"
      "interval: 1ms\n");
  for (const char* wanted : {"agent.yaml:1", "timeout_ms", "agent.yaml:2", "retry_times",
                             "agent.yaml:3", "max_peer", "agent.yaml:4", "10ms to 1h"}) {
    EXPECT_THAT(message, HasSubstr(wanted));
  }
}

TEST_F(AgentConfigTest, TheWindowMustHoldTwoIntervals) {
  EXPECT_THAT(MistakeIn("interval: 40s"), HasSubstr("window"));
  EXPECT_THAT(MistakeIn("interval: 40s\nwindow: 80s"), HasSubstr("agent.yaml:2"));
  EXPECT_TRUE(Load("interval: 40s\nwindow: 81s"));
}

TEST_F(AgentConfigTest, ThereIsOneSourceOfPeers) {
  EXPECT_THAT(MistakeIn("peers: [{node: a, address: 10.0.0.1}]\ndns: {name: b}"),
              HasSubstr("not several"));
  EXPECT_THAT(MistakeIn("dns: {port: 1}"), HasSubstr("name"));
  EXPECT_THAT(MistakeIn("kubernetes: {port: 1}"), HasSubstr("label_selector"));
  const auto dns = Load("dns: {name: b, port: 1}");
  ASSERT_TRUE(dns) << dns.error().message();
  EXPECT_EQ(dns->dns_name, "b");
  EXPECT_EQ(dns->peer_port, 1);
}

TEST_F(AgentConfigTest, APeersFileIsReadBesideTheConfiguration) {
  EXPECT_THAT(MistakeIn("peers_file: peers.yaml"), HasSubstr("peers.yaml"));
  std::ofstream(directory_ / "peers.yaml") << "- {node: a}\n";
  const std::string message = MistakeIn("peers_file: peers.yaml");
  EXPECT_THAT(message, HasSubstr("agent.yaml:1"));
  EXPECT_THAT(message, HasSubstr("peers.yaml:1"));
  std::ofstream(directory_ / "peers.yaml") << "- {node: a, address: 10.0.0.1}\n";
  const auto config = Load("peers_file: peers.yaml");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->peers_file, directory_ / "peers.yaml");
}

TEST_F(AgentConfigTest, TheNodesNameComesFromTheEnvironment) {
  setenv("NODE_NAME", "node-7", 1);
  EXPECT_EQ(DefaultNodeName(), "node-7");
  unsetenv("NODE_NAME");
  EXPECT_NE(DefaultNodeName(), "");
}

}  // namespace
}  // namespace leadline

#include "leadline/probe/peer.h"

#include <gmock/gmock.h>

#include <set>

namespace leadline {
namespace {

using boost::asio::ip::make_address;
using ::testing::HasSubstr;

std::vector<ProbePeer> Nodes(int count) {
  std::vector<ProbePeer> peers;
  for (int i = 0; i < count; ++i) {
    peers.push_back({"node-" + std::to_string(i), {make_address("10.0.0.1"), kProbePort}});
  }
  return peers;
}

std::set<std::string> Names(const std::vector<ProbePeer>& peers) {
  std::set<std::string> names;
  for (const ProbePeer& peer : peers) names.insert(peer.node);
  return names;
}

TEST(PeerAddress, AreReadWithAndWithoutPort) {
  const auto read = [](const char* text) { return ParsePeerAddress(text).value(); };
  EXPECT_EQ(read("10.0.0.1:80"), (boost::asio::ip::udp::endpoint{make_address("10.0.0.1"), 80}));
  EXPECT_EQ(read("10.0.0.1").port(), kProbePort);
  EXPECT_EQ(read("[fd00::1]:80"), (boost::asio::ip::udp::endpoint{make_address("fd00::1"), 80}));
  EXPECT_EQ(read("fd00::1").address(), make_address("fd00::1"));
}

TEST(PeerAddress, OthersAreRefusedWithTheFormThatIsExpected) {
  for (const char* text :
       {"", ":", ":80", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:80 ", "10.0.0.1:-1",
        "[10.0.0.1]:80", "[]:80", "10.0.0:80", "[fd00::1]", "node-1:80", "10.0.0.1:80:80"}) {
    const auto parsed = ParsePeerAddress(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message(), HasSubstr("10.0.0.1:7946"));
  }
}

TEST(PeersFile, IsAListOfNodesAndAddresses) {
  const auto peers =
      ParsePeers("- {node: a, address: 10.0.0.1}\n- {node: b, address: 'fd00::1'}\n", "peers.yaml");
  ASSERT_TRUE(peers) << peers.error().message();
  ASSERT_EQ(peers->size(), 2u);
  EXPECT_EQ((*peers)[0].node, "a");
  EXPECT_EQ((*peers)[1].address.address(), make_address("fd00::1"));
}

TEST(PeersFile, EveryMistakeIsToldWithItsLine) {
  const auto peers = ParsePeers(
      "- {node: a, address: 10.0.0.1}\n"
      "- {address: 10.0.0.2}\n"
      "- {node: b, address: ten}\n"
      "- {node: a, address: 10.0.0.3}\n"
      "- {node: c, address: 10.0.0.4, zone: x}\n",
      "peers.yaml");
  ASSERT_FALSE(peers);
  const std::string message = peers.error().message();
  for (const char* wanted : {"peers.yaml:2", "peers.yaml:3", "\"ten\"", "peers.yaml:4",
                             "\"a\" is there twice", "peers.yaml:5", "zone"}) {
    EXPECT_THAT(message, HasSubstr(wanted));
  }
}

TEST(PeersFile, OneThatIsMissingIsNamed) {
  const auto peers = ReadPeersFile("/does/not/exist.yaml");
  ASSERT_FALSE(peers);
  EXPECT_THAT(peers.error().message(), HasSubstr("/does/not/exist.yaml"));
}

TEST(ChoosePeers, LeavesOutSelfAndKeepsToTheLimit) {
  const auto chosen = ChoosePeers(Nodes(100), "node-7", 16);
  EXPECT_EQ(chosen.size(), 16u);
  EXPECT_EQ(Names(chosen).size(), 16u);
  EXPECT_EQ(Names(chosen).count("node-7"), 0u);
  EXPECT_EQ(ChoosePeers(Nodes(10), "node-7", 16).size(), 9u);
}

TEST(ChoosePeers, OnePeerComingOrGoingMovesAtMostOneOther) {
  const auto before = Names(ChoosePeers(Nodes(100), "node-7", 16));
  for (int gone = 0; gone < 100; ++gone) {
    auto nodes = Nodes(100);
    nodes.erase(nodes.begin() + gone);
    std::size_t kept = 0;
    for (const std::string& name : Names(ChoosePeers(std::move(nodes), "node-7", 16))) {
      kept += before.count(name);
    }
    EXPECT_EQ(kept, before.count("node-" + std::to_string(gone)) != 0 ? 15u : 16u) << gone;
  }
}

TEST(ChoosePeers, EveryNodeIsProbedBySome) {
  std::map<std::string, int> probed;
  for (const ProbePeer& self : Nodes(200)) {
    for (const ProbePeer& peer : ChoosePeers(Nodes(200), self.node, 16)) ++probed[peer.node];
  }
  EXPECT_EQ(probed.size(), 200u);
  for (const auto& [node, count] : probed) EXPECT_LT(count, 48) << node;
}

TEST(ChoosePeers, OfTwoUnderOneNameItIsAlwaysTheSame) {
  const ProbePeer low{"node-1", {make_address("10.0.0.1"), kProbePort}};
  const ProbePeer high{"node-1", {make_address("10.0.0.2"), kProbePort}};
  for (const auto& peers : {std::vector{low, high}, std::vector{high, low}}) {
    const auto chosen = ChoosePeers(peers, "node-2", 16);
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_EQ(chosen[0].address, low.address);
  }
}

}  // namespace
}  // namespace leadline

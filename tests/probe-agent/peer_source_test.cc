#include "leadline/probe/peer_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "probe-agent/loopback.h"

namespace leadline {
namespace {

using loopback::RunUntil;
using std::chrono::milliseconds;

class PeerSourceTest : public ::testing::Test {
 protected:
  PeerSourceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "peers-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~PeerSourceTest() override { std::filesystem::remove_all(directory_); }

  std::string file() const { return directory_ / "peers.yaml"; }
  void Write(const std::string& text) {
    // A reader sees the old file or the new one, never a half.
    const std::string next = file() + ".next";
    std::ofstream(next) << text;
    std::filesystem::rename(next, file());
  }

  void Start(std::unique_ptr<PeerSource> source) {
    source_ = std::move(source);
    source_->Start([this](std::vector<ProbePeer> peers) {
      ++told_;
      peers_ = std::move(peers);
    });
  }

  std::filesystem::path directory_;
  boost::asio::io_context io_;
  std::unique_ptr<PeerSource> source_;
  std::vector<ProbePeer> peers_;
  int told_ = 0;
};

TEST_F(PeerSourceTest, FixedPeersAreToldAtOnce) {
  Start(FixedPeers({{"a", loopback::AnyPort()}}));
  ASSERT_EQ(peers_.size(), 1u);
  EXPECT_EQ(peers_[0].node, "a");
}

TEST_F(PeerSourceTest, AFileIsReadAgain) {
  Write("[{node: a, address: 10.0.0.1}]");
  Start(FilePeers(io_, file(), milliseconds(5)));
  ASSERT_EQ(peers_.size(), 1u);
  Write("[{node: a, address: 10.0.0.1}, {node: b, address: 10.0.0.2}]");
  RunUntil(io_, [&] { return peers_.size() == 2; });
  EXPECT_EQ(peers_[1].node, "b");
}

TEST_F(PeerSourceTest, AFileThatIsWrongOrGoneLeavesThePeers) {
  Write("[{node: a, address: 10.0.0.1}]");
  Start(FilePeers(io_, file(), milliseconds(5)));
  for (const std::string wrong : {"[{node: a}]", "{", "gone"}) {
    Write(wrong);
    if (wrong == "gone") std::filesystem::remove(file());
    loopback::RunFor(io_, milliseconds(20));
    const int told = told_;
    loopback::RunFor(io_, milliseconds(50));
    EXPECT_EQ(told_, told);
    EXPECT_EQ(peers_.size(), 1u);
  }
  Write("[]");
  RunUntil(io_, [&] { return peers_.empty(); });
}

TEST_F(PeerSourceTest, ANameIsResolvedAgainAndAgain) {
  Start(DnsPeers(io_, "localhost", 1234, milliseconds(5)));
  RunUntil(io_, [&] { return told_ >= 3; });
  const auto v4 = std::find_if(peers_.begin(), peers_.end(), [](const ProbePeer& peer) {
    return peer.address.address() == boost::asio::ip::address_v4::loopback();
  });
  ASSERT_NE(v4, peers_.end());
  EXPECT_EQ(v4->node, "127.0.0.1");
  EXPECT_EQ(v4->address.port(), 1234);
}

TEST_F(PeerSourceTest, ANameThatDoesNotExistTellsNothing) {
  // Cannot exist (RFC 6761) and needs no answer from the network: a label is too long.
  Start(DnsPeers(io_, std::string(64, 'x') + ".invalid", 1234, milliseconds(5)));
  loopback::RunFor(io_, milliseconds(100));
  EXPECT_EQ(told_, 0);
}

}  // namespace
}  // namespace leadline

#include "periodic_peers.h"

namespace leadline {
namespace {

class File : public PeriodicPeers {
 public:
  File(boost::asio::io_context& io, std::string file, std::chrono::nanoseconds period)
      : PeriodicPeers(io, period), file_(std::move(file)) {}

 private:
  void Look() override {
    Result<std::vector<ProbePeer>> peers = ReadPeersFile(file_);
    if (!peers) return Failed(peers.error().message());
    Found(std::move(*peers));
  }

  const std::string file_;
};

}  // namespace

std::unique_ptr<PeerSource> FilePeers(boost::asio::io_context& io, std::string file,
                                      std::chrono::nanoseconds period) {
  return std::make_unique<File>(io, std::move(file), period);
}

}  // namespace leadline

#include <fmt/format.h>

#include "periodic_peers.h"

namespace leadline {
namespace {

using boost::asio::ip::udp;

class Dns : public PeriodicPeers {
 public:
  Dns(boost::asio::io_context& io, std::string name, std::uint16_t port,
      std::chrono::nanoseconds period)
      : PeriodicPeers(io, period), resolver_(io), name_(std::move(name)), port_(port) {}

 private:
  void Look() override {
    // The resolver has one thread: while it is still at it, another question would only queue up.
    if (asking_) return;
    asking_ = true;
    resolver_.async_resolve(
        name_, std::to_string(port_),
        [this](const boost::system::error_code& error, const udp::resolver::results_type& found) {
          if (error == boost::asio::error::operation_aborted) return;
          asking_ = false;
          if (error) return Failed(fmt::format("resolving {}: {}", name_, error.message()));
          std::vector<ProbePeer> peers;
          for (const auto& entry : found) {
            peers.push_back({entry.endpoint().address().to_string(), entry.endpoint()});
          }
          Found(std::move(peers));
        });
  }

  udp::resolver resolver_;
  const std::string name_;
  const std::uint16_t port_;
  bool asking_ = false;
};

}  // namespace

std::unique_ptr<PeerSource> DnsPeers(boost::asio::io_context& io, std::string name,
                                     std::uint16_t port, std::chrono::nanoseconds period) {
  return std::make_unique<Dns>(io, std::move(name), port, period);
}

}  // namespace leadline

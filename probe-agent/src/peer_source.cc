#include "leadline/probe/peer_source.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "leadline/kubernetes/informer.h"
#include "leadline/kubernetes/pod.h"
#include "leadline/yaml/document.h"

namespace leadline {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;

class Fixed : public PeerSource {
 public:
  explicit Fixed(std::vector<ProbePeer> peers) : peers_(std::move(peers)) {}
  void Start(OnPeers on_peers) override { on_peers(peers_); }

 private:
  std::vector<ProbePeer> peers_;
};

// Does something at once and then every period.
class Periodic : public PeerSource {
 public:
  Periodic(asio::io_context& io, std::chrono::nanoseconds period) : timer_(io), period_(period) {}

  void Start(OnPeers on_peers) override {
    on_peers_ = std::move(on_peers);
    Tick();
  }

 protected:
  virtual void Look() = 0;
  OnPeers on_peers_;

 private:
  void Tick() {
    Look();
    timer_.expires_after(period_);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Tick();
    });
  }

  asio::steady_timer timer_;
  const std::chrono::nanoseconds period_;
};

class File : public Periodic {
 public:
  File(asio::io_context& io, std::string file, std::chrono::nanoseconds period)
      : Periodic(io, period), file_(std::move(file)) {}

 private:
  void Look() override {
    Result<std::vector<ProbePeer>> peers = ReadPeersFile(file_);
    if (peers) {
      said_.clear();
      return on_peers_(std::move(*peers));
    }
    if (said_ != peers.error().message()) spdlog::warn("peers: {}", peers.error().message());
    said_ = peers.error().message();
  }

  const std::string file_;
  std::string said_;
};

class Dns : public Periodic {
 public:
  Dns(asio::io_context& io, std::string name, std::uint16_t port, std::chrono::nanoseconds period)
      : Periodic(io, period), resolver_(io), name_(std::move(name)), port_(port) {}

 private:
  void Look() override {
    resolver_.async_resolve(
        name_, std::to_string(port_),
        [this](const boost::system::error_code& error, const udp::resolver::results_type& found) {
          if (error == asio::error::operation_aborted) return;
          if (error) return spdlog::warn("peers: resolving {}: {}", name_, error.message());
          std::vector<ProbePeer> peers;
          for (const auto& entry : found) {
            peers.push_back({entry.endpoint().address().to_string(), entry.endpoint()});
          }
          on_peers_(std::move(peers));
        });
  }

  udp::resolver resolver_;
  const std::string name_;
  const std::uint16_t port_;
};

class Kubernetes : public PeerSource {
 public:
  Kubernetes(asio::io_context& io, ApiClient& api, const std::string& namespace_name,
             const std::string& selector, std::uint16_t port)
      : port_(port),
        informer_(io, api, ListerWatcher(ApiPath("/api/v1", namespace_name, "pods"), selector),
                  ParsePod, Handlers()) {}

  void Start(OnPeers on_peers) override {
    on_peers_ = std::move(on_peers);
    informer_.Start();
  }

 private:
  InformerHandlers<Pod> Handlers() {
    InformerHandlers<Pod> handlers;
    handlers.on_add = [this](const auto&) { Tell(); };
    handlers.on_update = [this](const auto&, const auto&) { Tell(); };
    handlers.on_delete = [this](const auto&) { Tell(); };
    handlers.on_synced = [this] { Tell(); };
    return handlers;
  }

  void Tell() {
    std::vector<ProbePeer> peers;
    for (const auto& pod : informer_.store().List()) {
      if (pod->Finished() || pod->spec.node_name.empty() || pod->status.pod_ips.empty()) continue;
      boost::system::error_code error;
      const auto address = asio::ip::make_address(pod->status.pod_ips.front(), error);
      if (!error) peers.push_back({pod->spec.node_name, udp::endpoint(address, port_)});
    }
    on_peers_(std::move(peers));
  }

  const std::uint16_t port_;
  OnPeers on_peers_;
  Informer<Pod> informer_;
};

// FNV-1a, then a finalizer, since near names must lie far apart.
std::uint64_t HashOf(std::string_view a, std::string_view b) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&](std::string_view text) {
    for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  };
  mix(a);
  mix(std::string_view("\0", 1));
  mix(b);
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

}  // namespace

Result<udp::endpoint> ParseEndpoint(std::string_view text) {
  const Error wrong(ErrorCode::kInvalidArgument,
                    fmt::format("\"{}\": expected ADDRESS:PORT, as 10.0.0.1:7946 or "
                                "[fd00::1]:7946",
                                text));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(digits.begin(), digits.end(), port);
  boost::system::error_code error;
  const auto address = asio::ip::make_address(std::string(host), error);
  if (error || failed != std::errc() || end != digits.end() || address.is_v6() != brackets) {
    return wrong;
  }
  return udp::endpoint(address, port);
}

Result<std::vector<ProbePeer>> ReadPeersFile(const std::string& file) {
  Result<YamlDocument> document = YamlDocument::Load(file);
  if (!document) return document.error();
  std::vector<ProbePeer> peers;
  for (const YamlNode& item : document->root().Items()) {
    ProbePeer peer;
    std::string address;
    item.Get("node").Require(&peer.node);
    if (item.Get("address").Require(&address)) {
      const auto endpoint = ParseEndpoint(address);
      if (endpoint) peer.address = *endpoint;
      if (!endpoint) item.Get("address").Mistake(endpoint.error().message());
    }
    item.RejectUnknownKeys();
    peers.push_back(std::move(peer));
  }
  if (auto ok = document->Check(); !ok) return ok.error();
  return peers;
}

std::unique_ptr<PeerSource> FixedPeers(std::vector<ProbePeer> peers) {
  return std::make_unique<Fixed>(std::move(peers));
}

std::unique_ptr<PeerSource> FilePeers(asio::io_context& io, std::string file,
                                      std::chrono::nanoseconds period) {
  return std::make_unique<File>(io, std::move(file), period);
}

std::unique_ptr<PeerSource> DnsPeers(asio::io_context& io, std::string name, std::uint16_t port,
                                     std::chrono::nanoseconds period) {
  return std::make_unique<Dns>(io, std::move(name), port, period);
}

std::unique_ptr<PeerSource> KubernetesPeers(asio::io_context& io, ApiClient& api,
                                            const std::string& namespace_name,
                                            const std::string& label_selector, std::uint16_t port) {
  return std::make_unique<Kubernetes>(io, api, namespace_name, label_selector, port);
}

std::vector<ProbePeer> ChoosePeers(std::vector<ProbePeer> peers, const std::string& self,
                                   std::size_t most) {
  std::erase_if(peers, [&](const ProbePeer& peer) { return peer.node == self; });
  std::sort(peers.begin(), peers.end(), [&](const ProbePeer& a, const ProbePeer& b) {
    const std::uint64_t x = HashOf(self, a.node), y = HashOf(self, b.node);
    return x != y ? x > y : a.node < b.node;
  });
  if (peers.size() > most) peers.resize(most);
  return peers;
}

}  // namespace leadline

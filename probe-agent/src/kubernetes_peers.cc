#include <boost/asio/steady_timer.hpp>

#include "leadline/kubernetes/informer.h"
#include "leadline/kubernetes/pod.h"
#include "leadline/probe/peer_source.h"

namespace leadline {
namespace {

// Changes of many Pods within this time are told at once (a DaemonSet being rolled out).
constexpr std::chrono::milliseconds kGather{200};

bool ShouldAnswer(const Pod& pod) {
  const PodCondition* ready = pod.FindCondition("Ready");
  return ready != nullptr && ready->status == "True" && !pod.metadata.deleting && !pod.Finished() &&
         !pod.spec.node_name.empty() && !pod.status.pod_ips.empty();
}

class Kubernetes : public PeerSource {
 public:
  Kubernetes(boost::asio::io_context& io, ApiClient& api, const std::string& namespace_name,
             const std::string& selector, std::uint16_t port)
      : port_(port),
        timer_(io),
        informer_(io, api, ListerWatcher(ApiPath("/api/v1", namespace_name, "pods"), selector),
                  ParsePod, Handlers()) {}

  void Start(OnPeers on_peers) override {
    on_peers_ = std::move(on_peers);
    informer_.Start();
  }

 private:
  InformerHandlers<Pod> Handlers() {
    InformerHandlers<Pod> handlers;
    handlers.on_add = [this](const auto&) { TellSoon(); };
    handlers.on_update = [this](const auto&, const auto&) { TellSoon(); };
    handlers.on_delete = [this](const auto&) { TellSoon(); };
    handlers.on_synced = [this] {
      complete_ = true;
      TellSoon();
    };
    return handlers;
  }

  // Not before the first list is complete: peers chosen from a part of it would be others.
  void TellSoon() {
    if (!complete_ || waiting_) return;
    waiting_ = true;
    timer_.expires_after(kGather);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      waiting_ = false;
      Tell();
    });
  }

  void Tell() {
    std::vector<ProbePeer> peers;
    for (const auto& pod : informer_.store().List()) {
      if (!ShouldAnswer(*pod)) continue;
      boost::system::error_code error;
      const auto address = boost::asio::ip::make_address(pod->status.pod_ips.front(), error);
      if (!error) peers.push_back({pod->spec.node_name, {address, port_}});
    }
    on_peers_(std::move(peers));
  }

  const std::uint16_t port_;
  OnPeers on_peers_;
  bool complete_ = false;
  bool waiting_ = false;
  boost::asio::steady_timer timer_;
  Informer<Pod> informer_;
};

}  // namespace

std::unique_ptr<PeerSource> KubernetesPeers(boost::asio::io_context& io, ApiClient& api,
                                            const std::string& namespace_name,
                                            const std::string& label_selector, std::uint16_t port) {
  return std::make_unique<Kubernetes>(io, api, namespace_name, label_selector, port);
}

}  // namespace leadline

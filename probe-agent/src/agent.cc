#include "leadline/probe/agent.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <cerrno>
#include <cstring>
#include <random>
#include <set>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "agent_metrics.h"
#include "own_addresses.h"

namespace leadline {
namespace {

ProberOptions OptionsOf(const AgentConfig& config) {
  ProberOptions options;
  options.interval = config.interval;
  options.timeout = std::chrono::milliseconds(config.timeout_ms);
  options.retries = config.retry_times;
  return options;
}

std::uint64_t RandomSeed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

ProbeAgent::ProbeAgent(boost::asio::io_context& io, AgentConfig config,
                       std::unique_ptr<PeerSource> source, Registry& registry, const Clock& clock)
    : config_(std::move(config)),
      clock_(clock),
      source_(std::move(source)),
      responder_(io),
      prober_(
          io, OptionsOf(config_), RandomSeed(), [this](const ProbeSample& s) { OnSample(s); },
          [this](const std::string& peer) { OnLoss(peer); }, clock),
      metrics_(std::make_unique<Metrics>(registry, config_.node, *this)) {}

ProbeAgent::~ProbeAgent() {
  Stop();
  if (samples_ != nullptr) std::fclose(samples_);
}

Result<void> ProbeAgent::Answer() {
  answers_ = true;
  return config_.listen ? responder_.Listen({*config_.listen, config_.listen_port})
                        : responder_.ListenEverywhere(config_.listen_port);
}

Result<void> ProbeAgent::Measure() {
  if (auto opened = prober_.Open(); !opened) return opened.error();
  if (source_) {
    source_->Start([this](std::vector<ProbePeer> peers) { SetPeers(std::move(peers)); });
  }
  return {};
}

void ProbeAgent::Stop() {
  source_.reset();
  prober_.Close();
  responder_.Close();
}

Result<void> ProbeAgent::WriteSamplesTo(const std::string& file) {
  samples_ = std::fopen(file.c_str(), "ae");
  if (samples_ != nullptr) return {};
  return Error(ErrorCode::kPermissionDenied, fmt::format("{}: {}", file, std::strerror(errno)));
}

void ProbeAgent::SetPeers(std::vector<ProbePeer> all) {
  LeaveOutSelf(&all);
  const auto peers =
      ChoosePeers(std::move(all), config_.node, static_cast<std::size_t>(config_.max_peers));
  std::set<std::string> gone;
  for (const auto& [name, window] : windows_) gone.insert(name);
  for (const ProbePeer& peer : peers) {
    gone.erase(peer.node);
    if (windows_.try_emplace(peer.node, config_.window).second) {
      spdlog::info("probing {} at {}:{}", peer.node, peer.address.address().to_string(),
                   peer.address.port());
    }
    prober_.SetPeer(peer.node, peer.address);
  }
  for (const std::string& name : gone) Forget(name);
}

// By address, for the sources that do not know nodes' names.
void ProbeAgent::LeaveOutSelf(std::vector<ProbePeer>* peers) {
  if (!answers_) return;
  const std::uint16_t port = responder_.local().port();
  const bool one = config_.listen && !config_.listen->is_unspecified();
  const auto own = one ? std::vector{*config_.listen} : OwnAddresses();
  std::erase_if(*peers, [&](const ProbePeer& peer) {
    return peer.address.port() == port &&
           std::find(own.begin(), own.end(), peer.address.address()) != own.end();
  });
}

void ProbeAgent::Forget(const std::string& peer) {
  spdlog::info("no longer probing {}", peer);
  prober_.RemovePeer(peer);
  windows_.erase(peer);
  metrics_->Forget(peer);
}

void ProbeAgent::OnSample(const ProbeSample& sample) {
  const auto window = windows_.find(sample.peer);
  if (window == windows_.end()) return;  // no longer a peer
  window->second.AddAnswer(clock_.SteadyNow(), sample.rtt);
  metrics_->Observe(sample.peer, std::chrono::duration<double>(sample.rtt).count());
  if (samples_ == nullptr) return;
  fmt::print(samples_,
             "{{\"time\":{:.6f},\"peer\":{},\"token\":\"{:016x}\",\"rtt_ns\":{},"
             "\"kernel\":{}}}\n",
             ToUnixSeconds(clock_.Now()), boost::json::serialize(boost::json::string(sample.peer)),
             sample.token, sample.rtt.count(), sample.kernel_stamps);
  std::fflush(samples_);
}

void ProbeAgent::OnLoss(const std::string& peer) {
  const auto window = windows_.find(peer);
  if (window != windows_.end()) window->second.AddLoss(clock_.SteadyNow());
}

std::vector<ProbeAgent::PeerReport> ProbeAgent::Report() {
  std::vector<PeerReport> report;
  for (auto& [node, window] : windows_) {
    report.push_back({node, window.Summarize(clock_.SteadyNow()), window.jitter_seconds()});
  }
  return report;
}

}  // namespace leadline

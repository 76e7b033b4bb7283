// The probe agent: responder, prober, peers and metrics together.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/exporter/registry.h"
#include "leadline/probe/agent_config.h"
#include "leadline/probe/echo_responder.h"
#include "leadline/probe/peer_source.h"
#include "leadline/probe/prober.h"
#include "leadline/probe/rtt_window.h"

namespace leadline {

// Lives on one io_context, on one thread; the registry's scrapes must come from it too.
class ProbeAgent {
 public:
  // `registry` must outlive it.
  ProbeAgent(boost::asio::io_context& io, AgentConfig config, std::unique_ptr<PeerSource> source,
             Registry& registry, const Clock& clock = Clock::Real());
  ~ProbeAgent();

  // Starts to answer others; kUnavailable with the address when it cannot listen.
  Result<void> Answer();
  // Starts to measure. An agent that answers as well leaves out peers that are itself.
  Result<void> Measure();
  void Stop();
  // Begins no further round of probes; those under way come to their end.
  void StopRounds() { prober_.StopRounds(); }

  // Appends each sample as a JSON line {"time","peer","token","rtt_ns","kernel"}.
  Result<void> WriteSamplesTo(const std::string& file);

  struct PeerReport {
    std::string node;
    RttSummary summary;
    double jitter_seconds = 0;
  };
  std::vector<PeerReport> Report();  // sorted by node

 private:
  class Metrics;

  void SetPeers(std::vector<ProbePeer> all);
  void LeaveOutSelf(std::vector<ProbePeer>* peers);
  void Forget(const std::string& peer);
  void OnSample(const ProbeSample& sample);
  void OnLoss(const std::string& peer);

  const AgentConfig config_;
  const Clock& clock_;
  std::unique_ptr<PeerSource> source_;
  friend class Metrics;
  EchoResponder responder_;
  Prober prober_;
  bool answers_ = false;
  std::map<std::string, RttWindow> windows_;  // by peer; one a peer that is probed now
  std::unique_ptr<Metrics> metrics_;
  std::FILE* samples_ = nullptr;
};

}  // namespace leadline

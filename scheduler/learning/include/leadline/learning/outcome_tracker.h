// Joins what Kubernetes reports to the decision it came of: the rewards of REQUIREMENTS A5.
//
// Guards: a Pod pays PodScheduled once, by UID, however often it crashes; a node pays NodeReady
// once in ten minutes, so that a flapping one earns nothing.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "leadline/base/clock.h"
#include "leadline/framework/decision.h"
#include "leadline/kubernetes/node.h"
#include "leadline/kubernetes/pod.h"
#include "leadline/rl/reward.h"

namespace leadline {

// A decision whose outcome is open: everything of the Outcome that is known already, and the state
// that the reward is computed from.
struct OpenOutcome {
  Outcome outcome;
  Placement placement;
};

struct OutcomeTrackerOptions {
  std::chrono::nanoseconds window{std::chrono::seconds(30)};
  // Dry run: nothing is bound, so nothing will be reported; outcomes close at once, as "predicted".
  bool predict = false;
};

// Thread-safe. Observers must outlive it.
class OutcomeTracker {
 public:
  // The node's state now, as the encoder "three" writes it.
  using StateNow = std::function<std::array<double, 3>(const std::string& node)>;

  OutcomeTracker(RewardCalculator rewards, OutcomeTrackerOptions options, StateNow state_now,
                 std::vector<OutcomeObserver*> observers, const Clock& clock = Clock::Real());

  void OnBound(OpenOutcome open);
  void OnRejected(Outcome outcome);

  void OnPodUpdate(const Pod& pod);
  void OnPodDelete(const Pod& pod);
  void OnNodeUpdate(const Node& old, const Node& node);
  // Closes what waited for its window; call it about every second.
  void Tick();

  std::size_t open() const;

 private:
  struct Entry {
    OpenOutcome open;
    Reward reward;
    SteadyTime deadline{};
  };
  void Close(Entry entry, std::string event, bool done);
  void Publish(Outcome outcome, const Reward& reward);
  bool Take(const std::string& uid, Entry* entry);

  const RewardCalculator rewards_;
  const OutcomeTrackerOptions options_;
  const StateNow state_now_;
  const std::vector<OutcomeObserver*> observers_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> open_;             // by Pod UID
  std::unordered_map<std::string, SteadyTime> paid_ready_;  // by node
};

// Which event of the reward configuration a failed Pod is.
RewardEvent FailureEvent(const Pod& pod);

}  // namespace leadline

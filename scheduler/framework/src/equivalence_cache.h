// What NodeLocal plugins said of each node, for the next Pod that looks the same to them: the
// replicas of one workload ask the same question of thousands of nodes that have not changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "leadline/framework/snapshot.h"
#include "leadline/framework/status.h"

namespace leadline {

// Answers about nodes, by the node's place in the snapshot.
template <typename Answer>
class KeptAnswers {
 public:
  // Null when there is none.
  const Answer* Find(std::size_t place) const {
    return place < kept_.size() && kept_[place] ? &*kept_[place] : nullptr;
  }
  void Keep(std::size_t place, Answer answer) {
    if (place >= kept_.size()) kept_.resize(place + 1);
    kept_[place] = std::move(answer);
  }
  void Forget(std::size_t place) {
    if (place < kept_.size()) kept_[place].reset();
  }

 private:
  std::vector<std::optional<Answer>> kept_;
};

// The answers for Pods that are alike.
struct EquivalenceClass {
  explicit EquivalenceClass(const PodInfo& pod) : like(pod) {}
  // Forgets what was said of nodes that have changed.
  void Update(const Snapshot& snapshot);

  PodInfo like;                  // one of them
  KeptAnswers<Status> verdicts;  // of the leading NodeLocal Filter plugins together
  std::vector<KeptAnswers<std::int64_t>> scores;  // by the Score plugin's place in the profile
  SeenNodes seen;
};

// Not thread-safe.
class EquivalenceCache {
 public:
  // The class of the Pod, with answers that hold for this snapshot; null for the first one of its
  // kind: one that stays alone is not worth the room. Valid until the next call.
  EquivalenceClass* Find(const PodInfo& pod, const Snapshot& snapshot);

 private:
  std::list<EquivalenceClass> classes_;  // the latest first
};

}  // namespace leadline

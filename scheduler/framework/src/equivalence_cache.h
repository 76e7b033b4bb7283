// What NodeLocal plugins said of each node, for the next Pod that looks the same to them: the
// replicas of one workload ask the same question of thousands of nodes that have not changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "leadline/framework/node_info.h"
#include "leadline/framework/status.h"

namespace leadline {

// An answer holds as long as the node has the generation that it was given for.
template <typename Answer>
class KeptAnswers {
 public:
  // The answer about the node at `place` of the snapshot; null when there is none.
  const Answer* Find(std::size_t place, const NodeInfo& node) const {
    if (place >= kept_.size() || kept_[place].generation != node.generation()) return nullptr;
    return &kept_[place].answer;
  }
  void Keep(std::size_t place, const NodeInfo& node, Answer answer) {
    if (place >= kept_.size()) kept_.resize(place + 1);
    kept_[place] = {node.generation(), std::move(answer)};
  }

 private:
  struct Kept {
    std::uint64_t generation = 0;  // no node's
    Answer answer{};
  };
  std::vector<Kept> kept_;
};

// The answers for Pods that are alike.
struct EquivalenceClass {
  PodInfo like;                  // one of them
  KeptAnswers<Status> verdicts;  // of the leading NodeLocal Filter plugins together
  std::vector<KeptAnswers<std::int64_t>> scores;  // by the Score plugin's place in the profile
};

// Not thread-safe.
class EquivalenceCache {
 public:
  // The class of the Pod; null for the first one of its kind: one that stays alone is not worth the
  // room. Valid until the next call.
  EquivalenceClass* Find(const PodInfo& pod);

 private:
  std::list<EquivalenceClass> classes_;  // the latest first
};

}  // namespace leadline

// The three logs of every decision, joined by its id: targets.log, configurationCache.log and
// dryrun.log (docs/formats.md). Written by a thread of its own from a bounded queue, so that
// neither a slow nor a full disk ever delays scheduling.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "leadline/decisions/rotating_file.h"
#include "leadline/framework/decision.h"

namespace leadline {

struct DecisionLogOptions {
  std::string directory;  // must exist or be creatable
  RotationOptions rotation;
  // Beyond so many entries' weights they are dropped and counted. An entry weighs 1, and 1 for each
  // node that it tells of: some 200 bytes.
  std::size_t max_queued = 500'000;
};

// Thread-safe.
class DecisionLog : public DecisionObserver, public OutcomeObserver {
 public:
  explicit DecisionLog(DecisionLogOptions options);
  ~DecisionLog() override;  // writes what is queued, then ends the thread

  void OnDecision(std::shared_ptr<const Decision> decision) override;
  void OnOutcome(std::shared_ptr<const Outcome> outcome) override;

  // Blocks until everything given so far is written.
  void Flush();

  struct Counts {
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;  // queue full or disk refused
  };
  Counts counts() const;

 private:
  using Entry = std::variant<std::shared_ptr<const Decision>, std::shared_ptr<const Outcome>>;

  void Push(Entry entry, std::size_t weight);
  void Run();
  int Write(const Entry& entry);

  DecisionLogOptions options_;
  RotatingFile targets_;
  RotatingFile configuration_cache_;
  RotatingFile dry_run_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::pair<Entry, std::size_t>> queue_;  // with their weights
  std::size_t queued_ = 0;                           // the sum of these
  bool busy_ = false;
  bool stopping_ = false;
  Counts counts_;
  bool warned_ = false;
  std::thread thread_;
};

// The lines themselves, without the newline.
std::string TargetsLine(const Decision& decision);             // JSON
std::string ConfigurationCacheLine(const Decision& decision);  // JSON; needs `learned`
std::string DryRunLine(const Outcome& outcome);                // TSV

}  // namespace leadline

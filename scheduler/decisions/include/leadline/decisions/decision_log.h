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
#include <variant>

#include "leadline/decisions/rotating_file.h"
#include "leadline/framework/decision.h"

namespace leadline {

struct DecisionLogOptions {
  std::string directory;  // must exist or be creatable
  RotationOptions rotation;
  std::size_t max_queued = 10000;  // further entries are dropped and counted
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

  void Push(Entry entry);
  void Run();
  int Write(const Entry& entry);

  DecisionLogOptions options_;
  RotatingFile targets_;
  RotatingFile configuration_cache_;
  RotatingFile dry_run_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<Entry> queue_;
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

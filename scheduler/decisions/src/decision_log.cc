#include "leadline/decisions/decision_log.h"

#include <filesystem>

#include <spdlog/spdlog.h>

namespace leadline {
namespace {

std::string In(const std::string& directory, const char* name) {
  return (std::filesystem::path(directory) / name).string();
}

}  // namespace

DecisionLog::DecisionLog(DecisionLogOptions options)
    : options_(std::move(options)),
      targets_(In(options_.directory, "targets.log"), options_.rotation),
      configuration_cache_(In(options_.directory, "configurationCache.log"), options_.rotation),
      dry_run_(In(options_.directory, "dryrun.log"), options_.rotation) {
  std::error_code error;
  std::filesystem::create_directories(options_.directory, error);
  if (error) spdlog::warn("decision log: creating {}: {}", options_.directory, error.message());
  thread_ = std::thread([this] { Run(); });
}

DecisionLog::~DecisionLog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void DecisionLog::OnDecision(std::shared_ptr<const Decision> decision) {
  const std::size_t nodes = decision->candidates.size() + decision->filtered.size();
  Push(std::move(decision), 1 + nodes);
}

void DecisionLog::OnOutcome(std::shared_ptr<const Outcome> outcome) { Push(std::move(outcome), 1); }

void DecisionLog::Push(Entry entry, std::size_t weight) {
  {
    const std::lock_guard lock(mutex_);
    if (queued_ + weight > options_.max_queued) {
      ++counts_.dropped;
      return;
    }
    queue_.emplace_back(std::move(entry), weight);
    queued_ += weight;
  }
  wake_.notify_one();
}

void DecisionLog::Flush() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

DecisionLog::Counts DecisionLog::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void DecisionLog::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const auto [entry, weight] = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    const int failed = Write(entry);
    lock.lock();
    busy_ = false;
    queued_ -= weight;
    counts_.dropped += static_cast<std::uint64_t>(failed);
    if (failed == 0) ++counts_.written;
    if (queue_.empty()) idle_.notify_all();
  }
}

// How many lines were refused by the disk.
int DecisionLog::Write(const Entry& entry) {
  int failed = 0;
  const auto write = [&](RotatingFile& file, const std::string& line) {
    if (file.WriteLine(line)) return;
    ++failed;
    if (!warned_) spdlog::warn("decision log: {}; lines are dropped", file.last_error());
    warned_ = true;
  };
  if (const auto* outcome = std::get_if<std::shared_ptr<const Outcome>>(&entry)) {
    write(dry_run_, DryRunLine(**outcome));
  } else {
    const Decision& decision = *std::get<std::shared_ptr<const Decision>>(entry);
    write(targets_, TargetsLine(decision));
    if (decision.learned) write(configuration_cache_, ConfigurationCacheLine(decision));
  }
  if (failed == 0) warned_ = false;
  return failed;
}

}  // namespace leadline

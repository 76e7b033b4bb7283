// What MetricsPoller knows: the store behind the snapshots, and the report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "metrics_poller_impl.h"

namespace leadline {
namespace {

constexpr std::size_t kMaxNamesInReport = 10;

using Stored = MetricsSnapshot::Stored;

// The freshest value stays until it is stale; what was wrong with the last answer stands beside it.
void MergeInto(Stored& known, const Stored& latest) {
  known.problem = latest.problem;
  const bool fresher = !known.has_value || latest.measured >= known.measured;
  if (!latest.has_value || !fresher) return;
  known.has_value = true;
  known.value = latest.value;
  known.measured = latest.measured;
}

std::string FormatNodes(const SignalReport& report) {
  std::vector<std::string> names;
  for (const auto& [node, reason] : report.nodes_without) {
    if (names.size() == kMaxNamesInReport) break;
    names.push_back(fmt::format("{} ({})", node, MissingReasonName(reason)));
  }
  const char* more = report.nodes_without.size() > names.size() ? ", ..." : "";
  return fmt::format("{} node(s) without value: {}{}", report.nodes_without.size(),
                     fmt::join(names, ", "), more);
}

std::string FormatSignal(const SignalReport& report) {
  std::vector<std::string> parts;
  if (!report.error.empty()) parts.push_back(report.error);
  if (!report.answered && report.error.empty()) parts.push_back("not answered yet");
  if (!report.nodes_without.empty()) parts.push_back(FormatNodes(report));
  if (report.series_without_node + report.series_ambiguous > 0) {
    parts.push_back(fmt::format("{} series without node, {} that fit more than one node, e.g. {}",
                                report.series_without_node, report.series_ambiguous,
                                fmt::join(report.examples, " ")));
  }
  if (parts.empty()) parts.push_back("every node has a value");
  return fmt::format("{}: {}", MetricSignalName(report.signal), fmt::join(parts, "; "));
}

}  // namespace

std::string FormatReport(const std::vector<SignalReport>& report) {
  std::vector<std::string> lines;
  for (const SignalReport& signal : report) lines.push_back(FormatSignal(signal));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::shared_ptr<const MetricsSnapshot> MetricsPoller::Impl::Snapshot() const {
  std::lock_guard lock(mutex_);
  return snapshot_;
}

void MetricsPoller::Impl::Merge(const Poll& poll, const NodeMatcher& matcher,
                                const SignalRound& round) {
  const auto index = static_cast<std::size_t>(poll.config.signal);
  MetricsSnapshot::Nodes next;
  next.reserve(matcher.nodes().size());
  for (std::size_t i = 0; i < matcher.nodes().size(); ++i) {
    const std::string& name = matcher.nodes()[i].name;
    MetricsSnapshot::NodeStore& store = next[name];
    if (const auto known = store_.find(name); known != store_.end()) store = known->second;
    const auto latest = round.nodes.find(i);
    if (latest != round.nodes.end()) {
      MergeInto(store[index], latest->second);
    } else {
      store[index].problem = MissingReason::kAbsent;
    }
  }
  store_ = std::move(next);
  auto snapshot = std::make_shared<const MetricsSnapshot>(store_, max_ages_);
  std::lock_guard lock(mutex_);
  snapshot_.swap(snapshot);
}

void MetricsPoller::Impl::EndRound(const Poll& poll, const std::string& error,
                                   const SignalRound* round) {
  {
    std::lock_guard lock(mutex_);
    RoundFacts& facts = facts_[static_cast<std::size_t>(poll.config.signal)];
    facts.finished = true;
    facts.report.error = error;
    if (round != nullptr) {
      facts.report.answered = true;
      facts.report.series_without_node = round->without_node;
      facts.report.series_ambiguous = round->ambiguous;
      facts.report.examples = round->examples;
    }
  }
  first_round_.notify_all();
}

bool MetricsPoller::Impl::WaitForFirstRound(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return first_round_.wait_for(lock, limit, [this] {
    return std::all_of(config_.signals.begin(), config_.signals.end(), [this](const auto& signal) {
      return facts_[static_cast<std::size_t>(signal.signal)].finished;
    });
  });
}

std::vector<SignalReport> MetricsPoller::Impl::Report() const {
  std::shared_ptr<const MetricsSnapshot> snapshot;
  std::vector<SignalReport> reports;
  {
    std::lock_guard lock(mutex_);
    snapshot = snapshot_;
    for (const SignalConfig& signal : config_.signals) {
      reports.push_back(facts_[static_cast<std::size_t>(signal.signal)].report);
      reports.back().signal = signal.signal;
    }
  }
  const SteadyTime now = clock_.SteadyNow();
  for (SignalReport& report : reports) {
    for (const auto& [node, stored] : snapshot->nodes()) {
      const Reading reading = snapshot->Get(node, report.signal, now);
      if (!reading.ok()) report.nodes_without.emplace_back(node, reading.missing);
    }
    std::sort(report.nodes_without.begin(), report.nodes_without.end());
  }
  return reports;
}

}  // namespace leadline

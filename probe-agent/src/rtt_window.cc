#include "leadline/probe/rtt_window.h"

#include <algorithm>
#include <cmath>

namespace leadline {
namespace {

// The smallest value that at least this share of the values does not exceed.
double Quantile(std::vector<double>& values, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

std::optional<double> RttSummary::LossRatio() const {
  if (probes() == 0) return std::nullopt;
  return static_cast<double>(lost) / static_cast<double>(probes());
}

void RttWindow::AddAnswer(SteadyTime now, std::chrono::nanoseconds rtt) {
  const double seconds = std::chrono::duration<double>(rtt).count();
  if (last_) jitter_ += (std::abs(seconds - *last_) - jitter_) / 16.0;
  last_ = seconds;
  Add(now, seconds);
}

void RttWindow::AddLoss(SteadyTime now) { Add(now, -1.0); }

void RttWindow::Add(SteadyTime now, double seconds) {
  probes_.push_back({now, seconds});
  Expire(now);
}

void RttWindow::Expire(SteadyTime now) {
  while (!probes_.empty() && now - probes_.front().ended > length_) probes_.pop_front();
}

RttSummary RttWindow::Summarize(SteadyTime now) {
  Expire(now);
  RttSummary summary;
  std::vector<double> answers;
  for (const Probe& probe : probes_) {
    if (probe.seconds < 0) {
      ++summary.lost;
    } else {
      answers.push_back(probe.seconds);
      summary.mean_seconds += probe.seconds;
    }
  }
  summary.answered = answers.size();
  if (answers.empty()) return summary;
  summary.mean_seconds /= static_cast<double>(answers.size());
  summary.p50_seconds = Quantile(answers, 0.5);
  summary.p99_seconds = Quantile(answers, 0.99);
  return summary;
}

}  // namespace leadline

#include <cmath>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "leadline/decisions/decision_log.h"

namespace leadline {
namespace {

namespace json = boost::json;

json::value OrNull(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

// A name must not end a column or a line.
std::string Column(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text.empty() ? "-" : text;
}

std::string StateColumn(const std::array<double, 3>& state) {
  return fmt::format("[{:.6g},{:.6g},{:.6g}]", state[0], state[1], state[2]);
}

std::string_view ResultName(Decision::Result result) {
  switch (result) {
    case Decision::Result::kScheduled:
      return "scheduled";
    case Decision::Result::kUnschedulable:
      return "unschedulable";
    case Decision::Result::kDeferred:
      return "deferred";
    case Decision::Result::kError:
      return "error";
  }
  return "error";
}

}  // namespace

std::string TargetsLine(const Decision& decision) {
  json::object filtered;
  for (const auto& [node, status] : decision.filtered) {
    json::array reasons(status.reasons().begin(), status.reasons().end());
    filtered[node] = {{"plugin", status.plugin()}, {"reasons", std::move(reasons)}};
  }
  json::array candidates;
  for (const NodeInfo* node : decision.candidates) candidates.emplace_back(node->name());
  json::object line;
  line["id"] = decision.id;
  line["time"] = FormatRfc3339(decision.time, 6);
  line["pod"] = decision.pod;
  line["uid"] = decision.uid;
  line["profile"] = decision.profile;
  line["attempt"] = decision.attempt;
  line["result"] = ResultName(decision.result);
  line["node"] = decision.node;
  line["message"] = decision.message;
  line["snapshot"] = decision.snapshot->id();
  line["candidates"] = std::move(candidates);
  line["filtered"] = std::move(filtered);
  if (decision.learned) {
    const LearnedDecision& learned = *decision.learned;
    json::array values;
    for (float value : learned.values) values.push_back(OrNull(double{value}));
    line["values"] = std::move(values);
    line["reject_value"] =
        learned.reject_value ? OrNull(double{*learned.reject_value}) : json::value(nullptr);
    line["action"] = learned.action;
    line["fallback"] = learned.fallback;
    line["fallback_reason"] = learned.fallback_reason;
    line["explored"] = learned.explored;
    line["propensity"] = learned.propensity;
    line["weights"] = learned.weights;
    line["metrics"] = learned.metrics_id;
  }
  return json::serialize(line);
}

std::string ConfigurationCacheLine(const Decision& decision) {
  json::array states;
  const std::vector<ThreeState>& cluster = decision.learned->cluster;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    states.push_back({{"name", decision.snapshot->nodes()[i]->name()},
                      {"cpu", OrNull(cluster[i].cpu_ratio)},
                      {"mem", OrNull(cluster[i].memory_ratio)},
                      {"latency", OrNull(cluster[i].latency_ms)}});
  }
  json::object line;
  line["timestamp"] = FormatRfc3339(decision.time, 6);
  line["id"] = decision.id;
  line["node_count"] = states.size();
  line["states"] = std::move(states);
  return json::serialize(line);
}

std::string DryRunLine(const Outcome& outcome) {
  std::string parts;
  for (const auto& [name, value] : outcome.reward_parts) {
    parts += fmt::format("{}{}={:.6g}", parts.empty() ? "" : ",", name, value);
  }
  return fmt::format("{:.6f}\t{}\t{}\t{:.6g}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.6g}\t{}",
                     ToUnixSeconds(outcome.time), StateColumn(outcome.state), outcome.action,
                     outcome.reward, StateColumn(outcome.next_state), outcome.done ? 1 : 0,
                     outcome.decision_id, Column(outcome.pod), Column(outcome.node),
                     outcome.candidates, Column(outcome.event), Column(outcome.fallback),
                     outcome.explored ? 1 : 0, outcome.propensity, Column(parts));
}

}  // namespace leadline

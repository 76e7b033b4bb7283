#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "leadline/decisions/decision_log.h"

namespace leadline {
namespace {

namespace json = boost::json;

// A line may hold thousands of nodes, for each decision: those are written without building a tree
// of values first, which takes several times as long as the decision itself.
void AppendText(std::string* line, std::string_view text) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), plain)) {
    line->append(1, '"').append(text).append(1, '"');
  } else {
    line->append(json::serialize(json::string(text)));
  }
}

// As short as a float is told exactly; null for what is missing or not a number.
void AppendNumber(std::string* line, std::optional<float> value) {
  if (value && std::isfinite(*value)) {
    fmt::format_to(std::back_inserter(*line), "{}", *value);
  } else {
    line->append("null");
  }
}

template <typename Items, typename Append>
void AppendList(std::string* line, const Items& items, Append append) {
  line->append(1, '[');
  const char* before = "";
  for (const auto& item : items) {
    line->append(std::exchange(before, ","));
    append(item);
  }
  line->append(1, ']');
}

void AppendFiltered(std::string* line, const NodeToStatus& filtered) {
  line->append(1, '{');
  const char* before = "";
  for (const auto& [node, status] : filtered) {
    line->append(std::exchange(before, ","));
    AppendText(line, node);
    line->append(":{\"plugin\":");
    AppendText(line, status.plugin());
    line->append(",\"reasons\":");
    AppendList(line, status.reasons(), [&](const std::string& one) { AppendText(line, one); });
    line->append(1, '}');
  }
  line->append(1, '}');
}

void AppendState(std::string* line, std::string_view node, const ThreeState& state) {
  line->append("{\"name\":");
  AppendText(line, node);
  line->append(",\"cpu\":");
  AppendNumber(line, state.cpu_ratio);
  line->append(",\"mem\":");
  AppendNumber(line, state.memory_ratio);
  line->append(",\"latency\":");
  AppendNumber(line, state.latency_ms);
  line->append(1, '}');
}

// The members of an object, without its closing brace, for others to follow.
std::string Open(const json::object& members) {
  std::string line = json::serialize(members);
  line.pop_back();
  return line;
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
  json::object members;
  members["id"] = decision.id;
  members["time"] = FormatRfc3339(decision.time, 6);
  members["pod"] = decision.pod;
  members["uid"] = decision.uid;
  members["profile"] = decision.profile;
  members["attempt"] = decision.attempt;
  members["result"] = ResultName(decision.result);
  members["node"] = decision.node;
  members["message"] = decision.message;
  members["snapshot"] = decision.snapshot->id();
  if (decision.learned) {
    const LearnedDecision& learned = *decision.learned;
    members["action"] = learned.action;
    members["fallback"] = learned.fallback;
    members["fallback_reason"] = learned.fallback_reason;
    members["explored"] = learned.explored;
    members["propensity"] = learned.propensity;
    members["weights"] = learned.weights;
    members["metrics"] = learned.metrics_id;
  }
  std::string line = Open(members);
  if (decision.learned) {
    line.append(",\"reject_value\":");
    AppendNumber(&line, decision.learned->reject_value);
    line.append(",\"values\":");
    AppendList(&line, decision.learned->values, [&](float value) { AppendNumber(&line, value); });
  }
  line.append(",\"candidates\":");
  AppendList(&line, decision.candidates,
             [&](const NodeInfo* node) { AppendText(&line, node->name()); });
  line.append(",\"filtered\":");
  AppendFiltered(&line, decision.filtered);
  return line + "}";
}

std::string ConfigurationCacheLine(const Decision& decision) {
  const std::vector<ThreeState>& states = decision.learned->cluster;
  json::object members;
  members["timestamp"] = FormatRfc3339(decision.time, 6);
  members["id"] = decision.id;
  members["node_count"] = states.size();
  std::string line = Open(members);
  line.append(",\"states\":");
  auto node = decision.snapshot->nodes().begin();
  AppendList(&line, states, [&](const ThreeState& state) {
    AppendState(&line, (*node)->name(), state);
    ++node;
  });
  return line + "}";
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

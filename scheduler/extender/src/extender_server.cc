#include "leadline/extender/extender_server.h"

#include <algorithm>
#include <set>

#include <spdlog/spdlog.h>

#include "leadline/http/server.h"

namespace leadline {
namespace {

using Scores = std::vector<std::pair<std::string, std::int64_t>>;

// Which nodes of the snapshot were asked about.
std::set<std::string, std::less<>> Wanted(const ExtenderArgs& args) {
  return {args.node_names.begin(), args.node_names.end()};
}

Scores AllEqual(const ExtenderArgs& args) {
  Scores scores;
  for (const std::string& name : args.node_names) scores.emplace_back(name, 0);
  return scores;
}

// Spreads weighted sums over 0..10: the best 10, the worst 0, equal sums equal scores.
std::map<std::string, std::int64_t> Spread(const std::vector<NodeScore>& scores) {
  std::int64_t low = scores.front().score, high = low;
  for (const NodeScore& node : scores) {
    low = std::min(low, node.score);
    high = std::max(high, node.score);
  }
  std::map<std::string, std::int64_t> spread;
  for (const NodeScore& node : scores) {
    const double part =
        high == low ? 1.0 : static_cast<double>(node.score - low) / static_cast<double>(high - low);
    spread[node.node->name()] = static_cast<std::int64_t>(part * kMaxExtenderScore);
  }
  return spread;
}

void Fail(const std::string& node, const Status& status, ExtenderFilterResult* result) {
  auto& list = status.code() == Status::Code::kUnschedulableAndUnresolvable
                   ? result->failed_and_unresolvable
                   : result->failed;
  list.emplace_back(node, status.Message());
}

}  // namespace

ExtenderServer::ExtenderServer(Profiles profiles, Cache& cache, Registry& registry)
    : profiles_(std::move(profiles)),
      cache_(cache),
      requests_(registry.DeclareCounter({"leadline_extender_requests_total",
                                         "Calls of the extender's verbs, by what came of them.",
                                         {"verb", "result"}})) {}

void ExtenderServer::Register(HttpServer& server) {
  for (const bool filter : {true, false}) {
    const auto handler = [this, filter](const ServerRequest& request,
                                        const HttpServer::Responder& respond) {
      ServerResponse response;
      response.content_type = "application/json";
      response.body = Answer(filter, request.body, &response.status);
      respond(std::move(response));
    };
    server.Handle("POST", filter ? "/filter" : "/prioritize", handler);
  }
}

std::string ExtenderServer::Answer(bool filter, const std::string& body, int* status) {
  const char* verb = filter ? "filter" : "prioritize";
  const Result<ExtenderArgs> args = ParseExtenderArgs(body);
  if (!args) {
    requests_.With({verb, "error"}).Increment();
    spdlog::warn("extender {}: {}", verb, args.error().message());
    *status = 400;
    ExtenderFilterResult failed;
    failed.error = args.error().message();
    return ToJson(failed, ExtenderArgs());
  }
  requests_.With({verb, "ok"}).Increment();
  return filter ? ToJson(Filter(*args), *args) : HostPriorityListJson(Prioritize(*args));
}

Framework& ExtenderServer::ProfileOf(const Pod& pod) {
  const auto found = std::find_if(profiles_.begin(), profiles_.end(), [&](const auto& profile) {
    return profile->profile() == pod.spec.scheduler_name;
  });
  return found == profiles_.end() ? *profiles_.front() : **found;
}

ExtenderFilterResult ExtenderServer::Filter(const ExtenderArgs& args) {
  const auto snapshot = cache_.UpdateSnapshot();
  const PodInfo pod(std::make_shared<const Pod>(args.pod));
  CycleState state("extender", *snapshot, 0);
  const Feasibility found = ProfileOf(args.pod).FindFeasible(state, pod);
  ExtenderFilterResult result;
  if (found.verdict && found.verdict->code() == Status::Code::kError) {
    result.error = found.verdict->Message();
    return result;
  }
  std::map<std::string_view, const Status*> rejected;
  for (const auto& [node, status] : found.rejected) rejected.emplace(node, &status);
  std::set<std::string_view> feasible;
  for (const NodeInfo* node : found.feasible) feasible.insert(node->name());
  for (const std::string& name : args.node_names) {
    const auto reason = rejected.find(name);
    if (feasible.count(name) != 0) {
      result.node_names.push_back(name);
    } else if (found.verdict) {
      Fail(name, *found.verdict, &result);
    } else if (reason != rejected.end()) {
      Fail(name, *reason->second, &result);
    } else if (snapshot->Find(name) == nullptr) {
      result.failed.emplace_back(name, "node is not known to the extender");
    } else {
      result.failed_and_unresolvable.emplace_back(name, AbsentReason(found.absent_by));
    }
  }
  return result;
}

Scores ExtenderServer::Prioritize(const ExtenderArgs& args) {
  const auto snapshot = cache_.UpdateSnapshot();
  const PodInfo pod(std::make_shared<const Pod>(args.pod));
  CycleState state("extender", *snapshot, 0);
  Framework& profile = ProfileOf(args.pod);
  const auto wanted = Wanted(args);
  // Again, for what PreFilter leaves in the state; kube-scheduler has filtered already.
  Feasibility found = profile.FindFeasible(state, pod);
  std::erase_if(found.feasible, [&](const NodeInfo* n) { return wanted.count(n->name()) == 0; });
  std::vector<NodeScore> scores;
  if (found.feasible.empty()) return AllEqual(args);
  const Status scored = profile.Prioritize(state, pod, found.feasible, &scores);
  if (!scored.ok()) {
    if (scored.code() == Status::Code::kError) {
      requests_.With({"prioritize", "error"}).Increment();
    }
    return AllEqual(args);
  }
  const auto spread = Spread(scores);
  Scores answer;
  for (const std::string& name : args.node_names) {
    const auto score = spread.find(name);
    answer.emplace_back(name, score == spread.end() ? 0 : score->second);
  }
  return answer;
}

}  // namespace leadline

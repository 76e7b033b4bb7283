#include "leadline/extender/extender_server.h"

#include <algorithm>
#include <fstream>
#include <mutex>
#include <set>

#include <openssl/crypto.h>
#include <spdlog/spdlog.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

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

// Once, for whole nodes as for whole victims: they cost both sides a copy of the cluster at every
// call.
void TellWholeObjects() {
  static std::once_flag told;
  std::call_once(told, [] {
    spdlog::warn("extender: kube-scheduler sends whole objects; set nodeCacheCapable: true");
  });
}

// The file is read each time, so that a token can be changed.
bool CarriesToken(std::string_view authorization, const std::string& file) {
  constexpr std::string_view kBearer = "Bearer ";
  if (!authorization.starts_with(kBearer)) return false;
  authorization.remove_prefix(kBearer.size());
  std::ifstream stream(file);
  std::string token;
  if (!(stream >> token) || token.size() != authorization.size()) return false;
  return CRYPTO_memcmp(token.data(), authorization.data(), token.size()) == 0;
}

}  // namespace

ExtenderServer::ExtenderServer(boost::asio::io_context& io, Profiles profiles, Cache& cache,
                               Bind bind, ExtenderAccess access, Registry& registry)
    : io_(io),
      profiles_(std::move(profiles)),
      cache_(cache),
      bind_(std::move(bind)),
      access_(std::move(access)),
      requests_(registry.DeclareCounter({"leadline_extender_requests_total",
                                         "Calls of the extender's verbs, by what came of them.",
                                         {"verb", "result"}})) {}

void ExtenderServer::Register(HttpServer& server) {
  Serve(server, "filter", &ExtenderServer::OnFilter);
  Serve(server, "prioritize", &ExtenderServer::OnPrioritize);
  Serve(server, "preempt", &ExtenderServer::OnPreempt);
  if (access_.Asked() || access_.loopback) Serve(server, "bind", &ExtenderServer::OnBind);
}

void ExtenderServer::Serve(HttpServer& server, const char* name, Verb verb) {
  const auto handler = [this, name, verb](const ServerRequest& request,
                                          const HttpServer::Responder& respond) {
    const auto answer = [this, name, respond](int status, std::string body) {
      requests_.With({name, status == 200 ? "ok" : "error"}).Increment();
      ServerResponse response;
      response.status = status;
      response.content_type = "application/json";
      response.body = std::move(body);
      respond(std::move(response));
    };
    if (!Allowed(request)) {
      return answer(401, ErrorJson("a client certificate or a bearer token is needed"));
    }
    (this->*verb)(request, [name, answer](const Result<std::string>& body) {
      if (body) return answer(200, *body);
      spdlog::warn("extender {}: {}", name, body.error().message());
      answer(400, ErrorJson(body.error().message()));
    });
  };
  server.Handle("POST", std::string("/") + name, handler);
}

bool ExtenderServer::Allowed(const ServerRequest& request) const {
  if (!access_.Asked()) return true;
  if (access_.client_certificate && !request.client.empty()) return true;
  return !access_.token_file.empty() &&
         CarriesToken(request.Header("authorization"), access_.token_file);
}

void ExtenderServer::OnFilter(const ServerRequest& request, const Reply& reply) {
  Result<ExtenderArgs> args = ParseExtenderArgs(request.body);
  if (!args) return reply(args.error());
  if (args->node_json) TellWholeObjects();
  FilterSince(Clock::now(), std::make_shared<const ExtenderArgs>(*std::move(args)), reply);
}

void ExtenderServer::FilterSince(Clock::time_point asked, std::shared_ptr<const ExtenderArgs> args,
                                 const Reply& reply) {
  const ExtenderFilterResult result = Filter(*args);
  const Clock::time_point now = Clock::now();
  const bool refused =
      result.node_names.empty() && result.error.empty() && !args->node_names.empty();
  // A Pod with a nominated node is one that Pods were evicted for.
  const bool may_wait = asked >= may_wait_from_ || !args->pod.status.nominated_node_name.empty();
  if (!refused || !may_wait || now - asked >= kCatchUp) {
    // kube-scheduler schedules nothing else meanwhile: a tenth of its time is the most to take.
    if (may_wait) may_wait_from_ = std::max(may_wait_from_, now + 9 * (now - asked));
    return reply(ToJson(result, *args));
  }
  constexpr std::chrono::milliseconds kAgain{5};
  auto timer = std::make_shared<boost::asio::steady_timer>(io_, kAgain);
  timer->async_wait([this, timer, asked, args, reply](const boost::system::error_code&) {
    FilterSince(asked, args, reply);
  });
}

void ExtenderServer::OnPrioritize(const ServerRequest& request, const Reply& reply) {
  const Result<ExtenderArgs> args = ParseExtenderArgs(request.body);
  if (!args) return reply(args.error());
  reply(HostPriorityListJson(Prioritize(*args)));
}

void ExtenderServer::OnPreempt(const ServerRequest& request, const Reply& reply) {
  const Result<ExtenderPreemptionArgs> args = ParseExtenderPreemptionArgs(request.body);
  if (!args) return reply(args.error());
  if (args->whole_pods) TellWholeObjects();
  const Result<ExtenderVictimsMap> kept = Preempt(*args);
  // The answer has no place for an error: another status tells kube-scheduler to try again.
  if (!kept) return reply(kept.error());
  reply(ToJson(*kept));
}

void ExtenderServer::OnBind(const ServerRequest& request, const Reply& reply) {
  const Result<ExtenderBinding> binding = ParseExtenderBinding(request.body);
  if (!binding) return reply(binding.error());
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = binding->pod_name;
  pod->metadata.namespace_name = binding->pod_namespace;
  pod->metadata.uid = binding->pod_uid;
  // kube-scheduler reads a failure from the answer's Error, and takes another status for none.
  bind_(std::move(pod), binding->node, [this, reply](const Result<void>& bound) {
    if (!bound) requests_.With({"bind", "failed"}).Increment();
    reply(ErrorJson(bound ? "" : bound.error().message()));
  });
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

Result<ExtenderVictimsMap> ExtenderServer::Preempt(const ExtenderPreemptionArgs& args) {
  const auto snapshot = cache_.UpdateSnapshot();
  const PodInfo pod(std::make_shared<const Pod>(args.pod));
  CycleState state("extender", *snapshot, 0);
  std::vector<Departure> departures;
  for (const auto& [name, victims] : args.victims) {
    if (const NodeInfo* node = snapshot->Find(name)) departures.push_back({node, victims.uids});
  }
  const auto statuses = ProfileOf(args.pod).FilterWithout(state, pod, departures);
  ExtenderVictimsMap kept;
  std::string errors;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const std::string& name = departures[i].node->name();
    if (statuses[i].ok()) kept.emplace(name, args.victims.find(name)->second);
    if (statuses[i].code() == Status::Code::kError) errors = statuses[i].Message();
  }
  if (kept.empty() && !errors.empty()) return Error(ErrorCode::kInternal, errors);
  return kept;
}

}  // namespace leadline

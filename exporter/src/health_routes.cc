#include <mutex>
#include <set>

#include "leadline/exporter/routes.h"
#include "leadline/http/server.h"

namespace leadline {
namespace {

struct NamedCheck {
  std::string name;
  HealthRoutes::Check check;
};

struct Query {
  bool verbose = false;
  std::set<std::string> exclude;
};

Query ReadQuery(const ServerRequest& request) {
  Query query;
  for (const auto& [key, value] : request.query) {
    if (key == "verbose") query.verbose = true;
    if (key == "exclude") query.exclude.insert(value);
  }
  return query;
}

ServerResponse TextResponse(int status, std::string body) {
  ServerResponse response;
  response.status = status;
  response.body = std::move(body);
  response.headers = {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-cache"}};
  return response;
}

ServerResponse Answer(const std::vector<NamedCheck>& checks, const std::string& page, Query query) {
  std::string lines;
  bool passed = true;
  for (const NamedCheck& named : checks) {
    if (query.exclude.erase(named.name) != 0) {
      lines += "[+]" + named.name + " excluded: ok\n";
    } else if (const Result<void> result = named.check(); result.has_value()) {
      lines += "[+]" + named.name + " ok\n";
    } else {
      passed = false;
      lines += "[-]" + named.name + " failed: " + result.error().message() + "\n";
    }
  }
  for (const std::string& unknown : query.exclude) {
    lines += "warn: some health checks cannot be excluded: no matches for \"" + unknown + "\"\n";
  }
  lines += page + (passed ? " check passed\n" : " check failed\n");
  if (passed && !query.verbose) return TextResponse(200, "ok");
  return TextResponse(passed ? 200 : 500, lines);
}

}  // namespace

struct HealthRoutes::Checks {
  mutable std::mutex mutex;
  std::vector<NamedCheck> live;
  std::vector<NamedCheck> ready;

  // A copy: checks must not run under the mutex.
  std::vector<NamedCheck> For(bool only_live) const {
    std::lock_guard lock(mutex);
    return only_live ? live : ready;
  }
};

HealthRoutes::HealthRoutes() : checks_(std::make_shared<Checks>()) {
  AddLiveCheck("ping", [] { return Result<void>(); });
}

void HealthRoutes::AddLiveCheck(std::string name, Check check) {
  std::lock_guard lock(checks_->mutex);
  checks_->live.push_back({name, check});
  checks_->ready.push_back({std::move(name), std::move(check)});
}

void HealthRoutes::AddReadyCheck(std::string name, Check check) {
  std::lock_guard lock(checks_->mutex);
  checks_->ready.push_back({std::move(name), std::move(check)});
}

void HealthRoutes::Register(HttpServer& server) const {
  for (const std::string page : {"livez", "readyz", "healthz"}) {
    const bool only_live = page == "livez";
    server.Handle("GET", "/" + page,
                  [checks = checks_, page, only_live](const ServerRequest& request,
                                                      const HttpServer::Responder& respond) {
                    respond(Answer(checks->For(only_live), page, ReadQuery(request)));
                  });
    server.Handle("GET", "/" + page + "/*",
                  [checks = checks_, page, only_live](const ServerRequest& request,
                                                      const HttpServer::Responder& respond) {
                    const std::string name = request.path.substr(page.size() + 2);
                    for (const NamedCheck& named : checks->For(only_live)) {
                      if (named.name != name) continue;
                      return respond(Answer({named}, page, ReadQuery(request)));
                    }
                    respond(TextResponse(404, "no check named " + name + "\n"));
                  });
  }
}

}  // namespace leadline

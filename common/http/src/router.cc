#include "router.h"

#include <algorithm>

namespace leadline {

void Router::Add(std::string method, std::string path, HttpServer::Handler handler) {
  const bool prefix = path.size() >= 2 && path.compare(path.size() - 2, 2, "/*") == 0;
  if (prefix) {
    path.pop_back();
  }
  routes_.push_back({std::move(method), std::move(path), prefix, std::move(handler)});
}

bool Router::Covers(const Route& route, std::string_view path) {
  return route.prefix ? path.substr(0, route.path.size()) == route.path : path == route.path;
}

Router::Match Router::Find(std::string_view method, std::string_view path) const {
  const Route* best = nullptr;
  const auto better = [&](const Route& route) {
    if (best == nullptr || best->prefix != route.prefix) {
      return best == nullptr || best->prefix;
    }
    return route.path.size() > best->path.size();
  };
  for (const Route& route : routes_) {
    if (Covers(route, path) && better(route)) {
      best = &route;
    }
  }
  Match match;
  if (best == nullptr) {
    return match;
  }
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : routes_) {
    if (route.path != best->path || route.prefix != best->prefix) {
      continue;
    }
    match.allow += (match.allow.empty() ? "" : ", ") + route.method;
    match.allow += route.method == "GET" ? ", HEAD" : "";
    if (route.method == wanted) {
      match.handler = &route.handler;
    }
  }
  return match;
}

}  // namespace leadline

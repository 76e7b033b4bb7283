// Which handler answers which method and path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leadline/http/server.h"

namespace leadline {

// Filled before the server listens, only read afterwards.
class Router {
 public:
  void Add(std::string method, std::string path, HttpServer::Handler handler);

  struct Match {
    const HttpServer::Handler* handler = nullptr;
    std::string allow;  // methods that the path knows; empty: the path is unknown
  };
  // Exact paths win over prefixes, longer prefixes over shorter ones; HEAD is looked up as GET.
  Match Find(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method;
    std::string path;  // without the "*" of a prefix
    bool prefix;
    HttpServer::Handler handler;
  };
  static bool Covers(const Route& route, std::string_view path);

  std::vector<Route> routes_;
};

}  // namespace leadline

// A stand-in for Prometheus that answers what a test wants, right or wrong.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/http/io_thread.h"
#include "leadline/http/server.h"

namespace leadline {

// Waits until `condition` holds; false after 20 s.
inline bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

class FakePrometheus {
 public:
  struct Request {
    ServerRequest http;
    std::string query;  // the PromQL
  };

  explicit FakePrometheus(std::string prefix = "") : server_(thread_.io(), HttpServerOptions()) {
    for (const char* method : {"GET", "POST"}) {
      server_.Handle(method, prefix + "/api/v1/query",
                     [this](const ServerRequest& request, HttpServer::Responder respond) {
                       Answer(request, std::move(respond));
                     });
    }
    EXPECT_TRUE(server_.Listen().has_value());
  }
  ~FakePrometheus() { server_.Stop(); }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  // From now on this query gets this answer; an empty one (status 0) is held back for good.
  void Set(const std::string& query, ServerResponse response) {
    std::lock_guard lock(mutex_);
    answers_[query] = std::move(response);
  }

  // A vector of (node, value), as Prometheus would write it.
  void SetVector(const std::string& query,
                 const std::vector<std::pair<std::string, std::string>>& rows,
                 const std::string& first_keys = "") {
    std::string series;
    for (const auto& [node, value] : rows) {
      series += (series.empty() ? "" : ",") + std::string(R"({"metric":{"node":")") + node +
                R"("},"value":[)" + kTime + ",\"" + value + "\"]}";
    }
    Set(query,
        Json("{" + first_keys + R"("status":"success","data":{"resultType":"vector","result":[)" +
             series + "]}}"));
  }

  static ServerResponse Json(std::string body, int status = 200) {
    ServerResponse response;
    response.status = status;
    response.content_type = "application/json";
    response.body = std::move(body);
    return response;
  }

  std::vector<Request> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t Count(const std::string& query) const {
    std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const Request& request : requests_) count += request.query == query;
    return count;
  }

  static constexpr char kTime[] = "1796100000.000";

 private:
  void Answer(const ServerRequest& request, HttpServer::Responder respond) {
    std::lock_guard lock(mutex_);
    requests_.push_back({request, QueryOf(request)});
    const auto found = answers_.find(requests_.back().query);
    if (found == answers_.end()) return respond(Json(R"({"status":"error"})", 400));
    if (found->second.status == 0) {
      held_.push_back(std::move(respond));
    } else {
      respond(found->second);
    }
  }

  static std::string QueryOf(const ServerRequest& request) {
    for (const auto& [key, value] : request.query) {
      if (key == "query") return value;
    }
    const std::string form = request.body.substr(0, request.body.find('&'));
    return form.rfind("query=", 0) == 0 ? form.substr(6) : "";
  }

  mutable std::mutex mutex_;
  std::map<std::string, ServerResponse> answers_;
  std::vector<Request> requests_;
  std::vector<HttpServer::Responder> held_;
  IoThread thread_;
  HttpServer server_;
};

}  // namespace leadline

// Serves recorded expositions as if their programs were running now.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "scheduler/telemetry/fake_prometheus.h"

namespace leadline {

// One page: rows with a time stamp of their own get the present one, counters go on.
class Recording {
 public:
  // `slopes`: increase a second, by the row's text before the value.
  Recording(const std::string& file, std::map<std::string, double> slopes)
      : rows_(ReadRows(file)), slopes_(std::move(slopes)) {}

  // Slopes from two recordings of the same program.
  static std::map<std::string, double> SlopesBetween(const std::string& first,
                                                     const std::string& second, double seconds) {
    std::map<std::string, double> slopes;
    std::map<std::string, double> before;
    for (const Row& row : ReadRows(first)) before[row.series] = row.value;
    for (const Row& row : ReadRows(second)) {
      const auto known = before.find(row.series);
      if (known == before.end() || row.series.find("_total") == std::string::npos) continue;
      slopes[row.series] = (row.value - known->second) / seconds;
    }
    return slopes;
  }

  double Value(const std::string& series) const {
    for (const Row& row : rows_) {
      if (row.series == series) return row.value;
    }
    ADD_FAILURE() << "no row " << series;
    return 0;
  }

  std::string Page() const {
    const auto now = std::chrono::system_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const auto stamp =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    std::string page;
    for (const Row& row : rows_) {
      const auto slope = slopes_.find(row.series);
      const double value = row.value + (slope == slopes_.end() ? 0 : slope->second * elapsed);
      char text[64];
      std::snprintf(text, sizeof(text), " %.17g", value);
      page += row.type + row.series + text;
      page += row.stamped ? " " + std::to_string(stamp) + "\n" : "\n";
    }
    return page;
  }

 private:
  struct Row {
    std::string type;  // the "# TYPE" line in front, if any
    std::string series;
    double value = 0;
    bool stamped = false;
  };

  static std::vector<Row> ReadRows(const std::string& file) {
    std::ifstream stream(std::string(LEADLINE_SOURCE_DIR) + "/tests/scheduler/telemetry/data/" +
                         file);
    EXPECT_TRUE(stream.is_open()) << file;
    std::vector<Row> rows;
    std::string type;
    for (std::string line; std::getline(stream, line);) {
      if (line.rfind("#", 0) == 0) {
        type = line + "\n";
        continue;
      }
      const std::size_t brace = line.find('}');
      const std::size_t end = brace == std::string::npos ? line.find(' ') : brace + 1;
      char* rest = nullptr;
      Row row{std::exchange(type, ""), line.substr(0, end), 0, false};
      row.value = std::strtod(line.c_str() + end, &rest);
      row.stamped = *rest == ' ';
      rows.push_back(std::move(row));
    }
    return rows;
  }

  const std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
  std::vector<Row> rows_;
  std::map<std::string, double> slopes_;
};

// Pages under /NAME; one that is taken down answers 503, as a broken exporter does.
class ReplayServer {
 public:
  ReplayServer() : server_(thread_.io(), HttpServerOptions()) {}
  ~ReplayServer() { server_.Stop(); }

  void Add(const std::string& name, const Recording& recording) {
    server_.Handle("GET", "/" + name,
                   [this, name, recording](const ServerRequest&, HttpServer::Responder respond) {
                     ServerResponse response;
                     response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                     response.body = recording.Page();
                     std::lock_guard lock(mutex_);
                     if (down_.count(name) != 0) response.status = 503;
                     respond(response);
                   });
  }
  void Listen() { ASSERT_TRUE(server_.Listen().has_value()); }
  void TakeDown(const std::string& name) {
    std::lock_guard lock(mutex_);
    down_.insert(name);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_.port()); }

 private:
  std::mutex mutex_;
  std::set<std::string> down_;
  IoThread thread_;
  HttpServer server_;
};

}  // namespace leadline

// An API server that knows one Lease, checks resourceVersions, and can be told to be difficult.
#pragma once

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <mutex>
#include <string>
#include <vector>

#include "common/kubernetes/fake_api.h"

namespace leadline {

class LeaseServer {
 public:
  enum class Mood {
    kFine,
    kAway,       // 503 to everything
    kHangs,      // takes requests and answers none
    kForgetful,  // carries writes out, then closes the connection without an answer
  };

  // The Lease, or null when there is none.
  boost::json::value lease() {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  boost::json::value spec(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return lease_.is_object() ? lease_.at("spec").at(key) : boost::json::value();
  }
  std::string holder() {
    const boost::json::value value = spec("holderIdentity");
    return value.is_string() ? std::string(value.get_string()) : "";
  }
  // Somebody else writes it.
  void Put(const std::string& json) {
    const std::lock_guard lock(mutex_);
    lease_ = boost::json::parse(json);
    Touch();
  }
  void Delete() {
    const std::lock_guard lock(mutex_);
    lease_ = nullptr;
  }
  // Between a client's look and its write.
  void ChangeBeforeNextPut() {
    const std::lock_guard lock(mutex_);
    interfere_ = true;
  }
  std::vector<std::string> requests() {  // "GET", "PUT:200", ...
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t CountOf(const std::string& request) {
    std::size_t count = 0;
    for (const std::string& one : requests()) count += one == request ? 1 : 0;
    return count;
  }
  ClientConfig Config() const { return server_.Config(); }

  std::atomic<Mood> mood{Mood::kFine};

 private:
  void Touch() { lease_.as_object()["metadata"].as_object()["resourceVersion"] = Version(); }
  boost::json::string Version() { return boost::json::string(std::to_string(++version_)); }

  bool Answer(RawServer::Peer& peer, const FakeRequest& request) {
    if (mood == Mood::kHangs) {
      peer.WaitForClose();
      return false;
    }
    std::string status = "503 Service Unavailable", body = StatusJson(503, "", "away");
    if (mood != Mood::kAway) std::tie(status, body) = Serve(request);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request.method + ":" + status.substr(0, 3));
    }
    if (mood == Mood::kForgetful && request.method != "GET") return false;
    return peer.Answer(body, status);
  }

  std::pair<std::string, std::string> Serve(const FakeRequest& request) {
    const std::lock_guard lock(mutex_);
    const bool create = request.method == "POST";
    if (create == lease_.is_object()) {
      return create ? std::pair{"409 Conflict", StatusJson(409, "AlreadyExists", "there is one")}
                    : std::pair{"404 Not Found", StatusJson(404, "NotFound", "there is none")};
    }
    if (request.method == "GET") return {"200 OK", boost::json::serialize(lease_)};
    if (std::exchange(interfere_, false)) Touch();
    const boost::json::value wanted = boost::json::parse(request.body);
    if (!create && wanted.at("metadata").at("resourceVersion") !=
                       lease_.at("metadata").at("resourceVersion")) {
      return {"409 Conflict", StatusJson(409, "Conflict", "the object has been modified")};
    }
    lease_ = wanted;
    Touch();
    return {create ? "201 Created" : "200 OK", boost::json::serialize(lease_)};
  }

  std::mutex mutex_;
  boost::json::value lease_;
  int version_ = 0;
  bool interfere_ = false;
  std::vector<std::string> requests_;
  FakeApi server_{
      [this](RawServer::Peer& peer, const FakeRequest& request) { return Answer(peer, request); }};
};

}  // namespace leadline

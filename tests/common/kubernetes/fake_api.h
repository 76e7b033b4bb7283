// An API server of a test's own: what it says to each request is up to the test.
#pragma once

#include <functional>
#include <string>

#include "common/http/raw_server.h"
#include "leadline/http/target.h"
#include "leadline/kubernetes/client_config.h"

namespace leadline {

struct FakeRequest {
  std::string method;
  std::string path;
  std::string text;  // all of it, header and body
  std::string body;
  Target target;

  std::string Query(const std::string& name) const {
    for (const auto& [key, value] : target.query) {
      if (key == name) return value;
    }
    return "";
  }
  std::string Token() const {
    const std::size_t at = text.find("Authorization: Bearer ");
    return at == std::string::npos ? "" : text.substr(at + 22, text.find('\r', at) - at - 22);
  }
  bool Watch() const { return Query("watch") == "true"; }
};

class FakeApi {
 public:
  // Runs on the connection's thread; false closes the connection.
  using Answer = std::function<bool(RawServer::Peer&, const FakeRequest&)>;

  explicit FakeApi(Answer answer)
      : server_([answer = std::move(answer)](RawServer::Peer& peer, int) {
          for (;;) {
            FakeRequest request;
            request.text = peer.ReadRequest();
            if (request.text.empty()) return;
            const std::size_t space = request.text.find(' ');
            request.method = request.text.substr(0, space);
            const std::size_t end = request.text.find(' ', space + 1);
            request.target = *ParseTarget(request.text.substr(space + 1, end - space - 1));
            request.path = request.target.path;
            request.body = request.text.substr(request.text.find("\r\n\r\n") + 4);
            if (!answer(peer, request)) return;
          }
        }) {}

  ClientConfig Config() const {
    ClientConfig config;
    config.server = server_.url();
    return config;
  }

 private:
  RawServer server_;
};

inline bool BeginStream(RawServer::Peer& peer) {
  return peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}
inline bool EndStream(RawServer::Peer& peer) { return peer.Write("0\r\n\r\n"); }

inline std::string StatusJson(int code, const std::string& reason, const std::string& message) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","message":")" + message + "\"}";
}

}  // namespace leadline

// What stands between a handler and the connection it answers on.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "leadline/http/server.h"

namespace leadline {

// Answers once; when the last copy goes without an answer, 500.
class ResponderState {
 public:
  using Reply = std::function<void(ServerResponse)>;
  explicit ResponderState(Reply reply) : reply_(std::move(reply)) {}
  ~ResponderState() {
    ServerResponse response;
    response.status = 500;
    response.body = "the request was given up\n";
    Call(std::move(response));
  }
  void Call(ServerResponse response) {
    if (!done_.exchange(true)) {
      reply_(std::move(response));
    }
  }

 private:
  std::atomic<bool> done_ = false;
  const Reply reply_;
};

}  // namespace leadline

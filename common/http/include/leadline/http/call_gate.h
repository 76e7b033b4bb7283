// What a client that runs others' functions on an io_context needs when it goes away.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "leadline/base/result.h"

namespace leadline {

// Lets calls through until it is closed. Thread-safe; a function that runs through it may close
// it, and may run further ones.
class CallGate {
 public:
  template <typename Call>
  void Run(Call&& call) {
    const std::lock_guard lock(running_);
    if (!closed_) std::forward<Call>(call)();
  }

  // Waits for a call that another thread runs; afterwards none begins.
  void Close() {
    const std::lock_guard lock(running_);
    closed_ = true;
  }

 private:
  std::recursive_mutex running_;
  bool closed_ = false;
};

// Refuses data with kCancelled once the gate is closed.
using DataHandler = std::function<Result<void>(std::string_view)>;
inline DataHandler Gated(std::shared_ptr<CallGate> gate, DataHandler inner) {
  return [gate = std::move(gate), inner = std::move(inner)](std::string_view piece) {
    Result<void> result = Error(ErrorCode::kCancelled, "cancelled");
    gate->Run([&] { result = inner(piece); });
    return result;
  };
}

// Waits for what `start` hands to the handler it is given; empty when the handler was dropped
// uncalled, since the client or its io_context went first. Not for the io_context's own thread.
template <typename Answer, typename Start>
std::optional<Answer> AwaitAnswer(Start&& start) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto future = promise->get_future();
  start([promise](Answer answer) { promise->set_value(std::move(answer)); });
  promise.reset();
  try {
    return future.get();
  } catch (const std::future_error&) {
    return std::nullopt;
  }
}

}  // namespace leadline

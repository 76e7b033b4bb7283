// Tells the observer how long an extension point took.
#pragma once

#include <chrono>

#include "leadline/framework/framework.h"

namespace leadline {

class Timed {
 public:
  Timed(FrameworkObserver* observer, ExtensionPoint point) : observer_(observer), point_(point) {}
  ~Timed() {
    if (observer_ == nullptr) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    observer_->OnExtensionPoint(point_, code_, took.count());
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

  void set_code(Status::Code code) { code_ = code; }

 private:
  FrameworkObserver* observer_;
  ExtensionPoint point_;
  Status::Code code_ = Status::Code::kSuccess;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace leadline

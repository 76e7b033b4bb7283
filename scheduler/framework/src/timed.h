// Tells the observer how long extension points and single plugins took.
#pragma once

#include <chrono>
#include <string>

#include <fmt/format.h>

#include "leadline/framework/framework.h"

namespace leadline {

// So many nodes tell enough of a plugin's time; more would slow the cycle that is measured.
inline constexpr std::size_t kTimedNodes = 100;

using TimedClock = std::chrono::steady_clock;

inline double SecondsSince(TimedClock::time_point start) {
  return std::chrono::duration<double>(TimedClock::now() - start).count();
}

class Timed {
 public:
  Timed(FrameworkObserver* observer, ExtensionPoint point) : observer_(observer), point_(point) {}
  ~Timed() {
    if (observer_ == nullptr) return;
    observer_->OnExtensionPoint(point_, code_, SecondsSince(start_));
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

  void set_code(Status::Code code) { code_ = code; }

 private:
  FrameworkObserver* observer_;
  ExtensionPoint point_;
  Status::Code code_ = Status::Code::kSuccess;
  TimedClock::time_point start_ = TimedClock::now();
};

// Calls one plugin; where `observer` is given, tells it how long that took.
template <typename Call>
Status CallPlugin(FrameworkObserver* observer, std::string_view step, const Plugin& plugin,
                  Call call) {
  if (observer == nullptr) return call();
  const TimedClock::time_point start = TimedClock::now();
  Status status = call();
  observer->OnPlugin(step, plugin.Name(), status.code(), SecondsSince(start));
  return status;
}

// The status with its plugin's name; an error says what failed where ("running Bind plugin
// "DefaultBinder": ..."), as kube-scheduler words it. `where` is a format with the plugin's name.
inline Status Said(const Plugin& plugin, std::string_view where, Status status) {
  if (status.code() == Status::Code::kError) {
    status = Status(Status::Code::kError,
                    fmt::format(fmt::runtime(where), plugin.Name()) + ": " + status.Message());
  }
  status.set_plugin(plugin.Name());
  return status;
}

}  // namespace leadline

// PreBind and Bind: asynchronous, one plugin after the other, on whatever thread completes them.
#include <fmt/format.h>

#include "leadline/framework/framework.h"
#include "timed.h"

namespace leadline {
namespace {

// Reports the step's duration when it completes, which is long after the call has returned.
StatusCallback TellingHowLong(FrameworkObserver* observer, ExtensionPoint point,
                              StatusCallback done) {
  if (observer == nullptr) return done;
  return [observer, point, start = TimedClock::now(), done = std::move(done)](Status status) {
    observer->OnExtensionPoint(point, status.code(), SecondsSince(start));
    done(std::move(status));
  };
}

}  // namespace

void Framework::RunPreBindAndBind(CycleState& state, const PodInfo& pod, const std::string& node,
                                  StatusCallback done) {
  PreBindFrom(0, state, pod, node,
              TellingHowLong(observer_, ExtensionPoint::kPreBind,
                             [this, &state, &pod, &node, done = std::move(done)](Status status) {
                               if (!status.ok()) return done(std::move(status));
                               BindFrom(0, state, pod, node,
                                        TellingHowLong(observer_, ExtensionPoint::kBind, done));
                             }));
}

void Framework::PreBindFrom(std::size_t index, CycleState& state, const PodInfo& pod,
                            const std::string& node, StatusCallback done) {
  if (index == pre_bind_.size()) return done(Status());
  PreBindPlugin* plugin = pre_bind_[index];
  plugin->PreBind(state, pod, node,
                  [this, index, plugin, &state, &pod, &node, done = std::move(done)](Status said) {
                    if (said.ok() || said.skip()) {
                      return PreBindFrom(index + 1, state, pod, node, done);
                    }
                    done(Said(*plugin, "running PreBind plugin \"{}\"", std::move(said)));
                  });
}

void Framework::BindFrom(std::size_t index, CycleState& state, const PodInfo& pod,
                         const std::string& node, StatusCallback done) {
  if (index == bind_.size()) {
    return done(Status(Status::Code::kError, "every Bind plugin skipped the Pod"));
  }
  BindPlugin* plugin = bind_[index];
  plugin->Bind(state, pod, node,
               [this, index, plugin, &state, &pod, &node, done = std::move(done)](Status said) {
                 if (said.skip()) return BindFrom(index + 1, state, pod, node, done);
                 done(Said(*plugin, "running Bind plugin \"{}\"", std::move(said)));
               });
}

}  // namespace leadline

#include "leadline/core/default_binder.h"

namespace leadline {

void DefaultBinder::Bind(CycleState&, const PodInfo& pod, const std::string& node,
                         StatusCallback done) {
  writer_.Bind(pod.pod, node, [done = std::move(done)](Result<void> bound) {
    if (bound) return done(Status());
    const ErrorCode code = bound.error().code();
    const bool lost = code == ErrorCode::kNotFound || code == ErrorCode::kConflict;
    done(Status(lost ? Status::Code::kPending : Status::Code::kError, bound.error().message()));
  });
}

PluginFactory MakeDefaultBinder(ClusterWriter& writer) {
  return [&writer](const YamlNode& args, const YamlDocument*) -> Result<std::shared_ptr<Plugin>> {
    if (args.exists()) args.Mistake("DefaultBinder takes no arguments");
    return std::make_shared<DefaultBinder>(writer);
  };
}

}  // namespace leadline

// The built-in plugins with a DefaultBinder that tells no API server.
#pragma once

#include <memory>

#include "leadline/plugins/registry.h"

namespace leadline {

class BindsNothing : public BindPlugin {
 public:
  std::string_view Name() const override { return "DefaultBinder"; }
  void Bind(CycleState&, const PodInfo&, const std::string&, StatusCallback done) override {
    done({});
  }
};

// `listers` must outlive the plugins.
inline PluginRegistry PluginsThatBindNothing(const Listers& listers) {
  PluginRegistry registry = BuiltInPlugins(listers);
  registry.emplace("DefaultBinder",
                   [](const YamlNode&, const YamlDocument*) -> Result<std::shared_ptr<Plugin>> {
                     return std::make_shared<BindsNothing>();
                   });
  return registry;
}

}  // namespace leadline

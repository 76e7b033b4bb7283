// Plugin names and how to make them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "leadline/base/result.h"
#include "leadline/framework/plugin.h"
#include "leadline/yaml/document.h"

namespace leadline {

// Makes a plugin from its `pluginConfig` arguments. The node may be absent (defaults). Mistakes
// in the arguments go to the node's document; what else goes wrong is an Error.
using PluginFactory =
    std::function<Result<std::shared_ptr<Plugin>>(const YamlNode& args, const YamlDocument* file)>;

// Filled once at start-up by the program; scheduler/core never names a plugin.
using PluginRegistry = std::map<std::string, PluginFactory, std::less<>>;

}  // namespace leadline
